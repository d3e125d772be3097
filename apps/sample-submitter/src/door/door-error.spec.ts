import { BadRequestException, NotFoundException } from '@nestjs/common';
import { BusUnavailableError } from '@app/bus';
import { TooManyTrainersError, UnknownLeaseError } from '@app/pools';
import { DoorRefusedError, toDoorAnswer } from './door-error';

const LIMIT = 1_048_576;

describe('toDoorAnswer', () => {
  it.each<[unknown, number, string, string]>([
    [new UnknownLeaseError('x'), 404, 'invalid_request_error', 'unknown_lease'],
    [new TooManyTrainersError(4), 429, 'rate_limit_error', 'too_many_trainers'],
    [new DoorRefusedError(401, 'invalid_api_key', 'm'), 401, 'authentication_error', 'invalid_api_key'],
    [new BadRequestException(['max must be a number']), 400, 'invalid_request_error', 'invalid_request'],
    [new NotFoundException(), 404, 'invalid_request_error', 'not_found'],
    [new BusUnavailableError('away'), 503, 'server_error', 'bus_unavailable'],
    [Object.assign(new TypeError('too large'), { statusCode: 413 }), 413, 'invalid_request_error', 'body_too_large'],
    [new TypeError('secret detail'), 500, 'server_error', 'internal_error'],
  ])('answers %s with status %i', (error, status, type, code) => {
    expect(toDoorAnswer(error, LIMIT)).toEqual({
      status,
      body: { error: { message: expect.any(String), type, code } },
    });
  });

  it('tells a client every field that is wrong, and nothing about our own failures', () => {
    const { body } = toDoorAnswer(new BadRequestException(['max must be a number', 'min must be a number']), LIMIT);
    expect(body.error.message).toBe('max must be a number; min must be a number');
    expect(JSON.stringify(toDoorAnswer(new TypeError('secret detail'), LIMIT))).not.toContain('secret');
  });

  it('names the limit that a body is over', () => {
    const tooLarge = Object.assign(new Error('Request body is too large'), { statusCode: 413 });
    expect(toDoorAnswer(tooLarge, LIMIT).body.error.message).toContain('1048576 bytes');
  });
});
