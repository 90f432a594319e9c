# Types lines and Tab into an interactive shell on a terminal. Reads {"shell": [...], "setup": [...], "lines": [...], "tabs": n} as JSON,
# prints [{"line": what the line became, "screen": what was shown meanwhile}, ...].
import fcntl, json, os, pty, re, select, struct, sys, termios, time

job = json.load(sys.stdin)
pid, fd = pty.fork()
if pid == 0:
    os.execvp(job["shell"][0], job["shell"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 120, 0, 0))

def read_until(pattern, seconds):
    shown = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ready, _, _ = select.select([fd], [], [], 0.05)
        if not ready:
            continue
        try:
            chunk = os.read(fd, 65536)
        except OSError:
            break
        shown += chunk
        if re.search(pattern, shown, re.S):
            break
    return shown.decode("utf-8", "replace")

DUMP = b"\x18\x10"
for line in job["setup"]:
    os.write(fd, line.encode() + b"\n")
os.write(b"echo re''ady\n" and fd, b"echo re''ady\n")
if not re.search("ready", read_until(rb"ready\r?\n", 150)):
    sys.exit("the shell did not start")

results = []
for line in job["lines"]:
    os.write(fd, b"\x15" + line.encode() + b"\t" * job.get("tabs", 1) + DUMP)
    shown = read_until(rb"<<<.*>>>", 150)
    found = re.search(r"<<<(.*?)>>>", shown, re.S)
    results.append({"line": found.group(1) if found else None, "screen": shown})
json.dump(results, sys.stdout)
os.close(fd)
