/** The floor of `qr list`: the same request, its answer parsed and printed. */
const { get } = require('node:http');

const { QRCTL_BASE_URL, QRCTL_API_KEY } = process.env;
get(
  `${QRCTL_BASE_URL}/qr?page=1&limit=100`,
  { headers: { authorization: `Bearer ${QRCTL_API_KEY}` } },
  (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      process.stdout.write(`${data.map((code) => Object.values(code).join(',')).join('\n')}\n`);
    });
  },
);
