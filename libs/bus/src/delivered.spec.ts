import { readPlace } from './delivered';

describe('readPlace', () => {
  it.each([
    ['an older server', '$JS.ACK.RL_TURNS.judge.2.117.9.1700000000000000000.4'],
    ['a newer server', '$JS.ACK._.AbCdEf.RL_TURNS.judge.2.117.9.1700000000000000000.4.x7'],
    ['a server with a domain', '$JS.ACK.hub.AbCdEf.RL_TURNS.judge.2.117.9.1700000000000000000.4'],
  ])('reads deliveries and sequence as %s writes them', (_, reply) => {
    expect(readPlace(reply)).toEqual({ deliveries: 2, sequence: 117 });
  });
});
