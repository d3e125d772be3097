import { ServerClock } from './server-clock';

describe('ServerClock', () => {
  it("follows the server's stamps, not this machine's clock", () => {
    const clock = new ServerClock(() => 5_000);
    expect(clock.now()).toBe(5_000);
    clock.learn({ sentAt: 4_990, seenAt: 4_994, stampedAt: 90_000 });
    expect(clock.now()).toBe(90_008);
  });
});
