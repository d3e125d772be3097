import { launch } from './run-app';

describe('launch', () => {
  let exit: jest.SpyInstance;
  let written: string[];
  beforeEach(() => {
    written = [];
    exit = jest.spyOn(process, 'exit').mockImplementation();
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  afterEach(() => jest.restoreAllMocks());

  const outcome = async (main: () => Promise<unknown>): Promise<void> => {
    launch('gateway', main);
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
  };

  it('says in one line what stopped an app at its start, and ends the process with 1', async () => {
    await outcome(() => Promise.reject(new TypeError('server.base_url is not set')));
    expect(written).toEqual(['gateway: server.base_url is not set\n']);
    expect(exit).toHaveBeenCalledWith(1);
  });

  it('tells what is no error as well', async () => {
    await outcome(() => Promise.reject('no luck')); // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors -- any library may do so
    expect(written).toEqual(['gateway: no luck\n']);
  });

  it('is silent when all is well', async () => {
    await outcome(() => Promise.resolve());
    expect(written).toEqual([]);
    expect(exit).not.toHaveBeenCalled();
  });
});
