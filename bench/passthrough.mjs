// The least a Node proxy can do, to compare with: fastify takes the body as bytes, undici sends it on, bytes come back.
import { fastify } from 'fastify';
import { Pool } from 'undici';

const { url } = JSON.parse(process.argv[2]);
const pool = new Pool(url, { connections: null, pipelining: 1 });
const server = fastify({ bodyLimit: 64 * 1024 * 1024 });
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
server.post('/v1/chat/completions', async (request, reply) => {
  reply.hijack();
  const response = await pool.request({
    method: 'POST',
    path: request.url,
    headers: { 'content-type': 'application/json' },
    body: request.body,
  });
  reply.raw.writeHead(response.statusCode, { 'content-type': response.headers['content-type'] });
  for await (const piece of response.body) reply.raw.write(piece);
  reply.raw.end();
});
await server.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready on http://127.0.0.1:${server.server.address().port}`);
