/** The rows of a simple CSV, posted four at a time. Killed half way, nobody knows which exist. */
import { readFileSync } from 'node:fs';

const { QRCTL_BASE_URL, QRCTL_API_KEY } = process.env;
const lines = readFileSync(process.argv[2], 'utf8').trim().split('\n').slice(1);

async function work() {
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [name, type, destination] = line.split(',');
    const response = await fetch(`${QRCTL_BASE_URL}/qr`, {
      method: 'POST',
      headers: { authorization: `Bearer ${QRCTL_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, type, destination }),
    });
    await response.json();
  }
}

await Promise.all([work(), work(), work(), work()]);
