import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenAiError } from '../errors/openai-error';
import type { ConsoleFile } from './console-files';

/** Token of the files of the built console. */
export const CONSOLE_FILES = Symbol('console files');

/**
 * Nothing but our own files and our own gateway: what a conversation says can load nothing, run nothing and send nothing. Styles
 * are set by the chart through the style object, which is no inline style to this rule.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The console's own files. They hold no data, so anybody may have them. */
@Controller('console')
export class ConsolePageController {
  constructor(@Inject(CONSOLE_FILES) private readonly files: ReadonlyMap<string, ConsoleFile>) {}

  @Get()
  readPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send('index.html', request, reply);
  }

  @Get('assets/:name')
  readAsset(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(`assets/${name}`, request, reply);
  }

  private send(name: string, request: FastifyRequest, reply: FastifyReply): void {
    const file = this.files.get(name);
    if (file === undefined) {
      const isBuilt = this.files.size > 0;
      throw new OpenAiError(
        404,
        'not_found',
        isBuilt ? 'no such file' : 'the console has not been built: npm run build',
      );
    }
    void reply.headers(HEADERS).headers({
      'content-type': file.type,
      etag: file.etag,
      vary: 'accept-encoding',
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    if (request.headers['if-none-match'] === file.etag) void reply.status(304).send();
    else if (/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      void reply.header('content-encoding', 'gzip').send(file.gzipped);
    } else void reply.send(file.body);
  }
}
