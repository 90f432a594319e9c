/**
 * Makes waiting instant for the command of this process: each sleep moves the clock instead. Timers of more than 20 s are limits of
 * requests, and stay. Preloaded into a process of its own (QRCTL_TEST_SLEEPS=1), it tells each sleep in milliseconds on descriptor 3.
 */
const { writeSync } = require('node:fs');
const timers = require('node:timers/promises');

const LONGEST_SLEEP_MS = 20_000;
let aheadMs = 0;

/** Begins to move the clock, and returns the function that ends it. */
exports.install = (tell) => {
  const { setTimeout: realSleep } = timers;
  const { hrtime: realTime } = process;
  timers.setTimeout = (ms = 0, ...args) => {
    if (ms < 1 || ms > LONGEST_SLEEP_MS) return realSleep(ms, ...args);
    aheadMs += ms;
    tell(ms);
    return realSleep(0, ...args);
  };
  const time = (since) => {
    const [seconds, nanoseconds] = realTime();
    const whole = nanoseconds + (aheadMs % 1000) * 1e6;
    const now = [seconds + Math.floor(aheadMs / 1000) + Math.floor(whole / 1e9), Math.floor(whole % 1e9)];
    return since ? [now[0] - since[0], now[1] - since[1]] : now;
  };
  process.hrtime = Object.assign(time, { bigint: realTime.bigint });
  return () => {
    timers.setTimeout = realSleep;
    process.hrtime = realTime;
  };
};

if (process.env.QRCTL_TEST_SLEEPS === '1') exports.install((ms) => writeSync(3, `${ms}\n`));
