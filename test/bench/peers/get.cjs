/** The floor of `qr list`: the same requests (default: one), each answer parsed and printed. */
const { Agent, get } = require('node:http');

const { QRCTL_BASE_URL, QRCTL_API_KEY } = process.env;
const pages = Number(process.argv[2] ?? 1);
const agent = new Agent({ keepAlive: pages > 1 });
const headers = { authorization: `Bearer ${QRCTL_API_KEY}` };

function read(page) {
  get(`${QRCTL_BASE_URL}/qr?page=${page}&limit=100`, { agent, headers }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      process.stdout.write(`${data.map((code) => Object.values(code).join(',')).join('\n')}\n`);
      if (page < pages) read(page + 1);
      else agent.destroy();
    });
  });
}

read(1);
