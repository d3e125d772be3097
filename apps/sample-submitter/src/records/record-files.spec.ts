import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordFiles } from './record-files';

describe('RecordFiles', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-files-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const line = (turnId: string, session = 's', policyVersion = 0) => ({
    policyVersion,
    session,
    id: turnId,
    json: JSON.stringify({ turn_id: turnId, text: 'über' }),
  });
  const feedbackLine = (feedbackId: string, turnId: string) => ({
    ...line(turnId),
    id: feedbackId,
    json: JSON.stringify({ turn_id: turnId, feedback_id: feedbackId }),
  });
  const turnsOf = (path: string): string[] =>
    readFileSync(join(folder, path), 'utf8')
      .split('\n')
      .filter((each) => each.startsWith('{"turn_id"') && each.endsWith('}'))
      .map((each) => JSON.parse(each).turn_id);

  it('holds one line per turn, however often and by whomever it is added', async () => {
    const [one, two] = [new RecordFiles(folder), new RecordFiles(folder)];
    await Promise.all(['a', 'b', 'a', 'c'].map((turnId) => one.append(line(turnId))));
    await two.append(line('b'));
    await two.append(line('d'));
    await one.append(line('d'));
    await new RecordFiles(folder).append(line('a'));
    expect(turnsOf('v0/s.jsonl')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('holds a line for each feedback on a turn, beside its own, and removes them with it', async () => {
    const files = new RecordFiles(folder);
    for (const each of [feedbackLine('f1', 'a'), line('a'), feedbackLine('f2', 'a'), feedbackLine('f1', 'a')]) {
      await files.append(each);
    }
    await new RecordFiles(folder).append(line('b'));
    await new RecordFiles(folder).append(feedbackLine('f2', 'a'));
    expect(turnsOf('v0/s.jsonl')).toEqual(['a', 'a', 'a', 'b']);
    expect(await files.removeTurns(new Set(['s']), new Set(['a']))).toBe(3);
    expect(turnsOf('v0/s.jsonl')).toEqual(['b']);
  });

  it('leaves a line that a crash has cut short on a line of its own', async () => {
    const files = new RecordFiles(folder);
    await files.append(line('a'));
    appendFileSync(join(folder, 'v0/s.jsonl'), '{"turn_id":"b","te');
    await files.append(line('b'));
    await files.append(line('b'));
    expect(turnsOf('v0/s.jsonl')).toEqual(['a', 'b']);
    expect(readFileSync(join(folder, 'v0/s.jsonl'), 'utf8').split('\n')).toHaveLength(4);
  });

  it('says so when nothing can be written', async () => {
    writeFileSync(join(folder, 'v0'), '');
    await expect(new RecordFiles(folder).append(line('a'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('removes one session from every version, and counts its lines', async () => {
    const files = new RecordFiles(folder);
    for (const version of [0, 12]) {
      await files.append(line('a', 'mine', version));
      await files.append(line('b', 'theirs', version));
    }
    expect(await files.removeSessions(['mine', 'none'])).toBe(2);
    expect(readdirSync(join(folder, 'v12'))).toEqual(['theirs.jsonl']);
    await files.append(line('a', 'mine', 12));
    expect(turnsOf('v12/mine.jsonl')).toEqual(['a']);
    expect(await new RecordFiles(join(folder, 'none')).removeSessions(['mine'])).toBe(0);
  });

  it('removes single turns from the files of some sessions', async () => {
    const files = new RecordFiles(folder);
    for (const turnId of ['a', 'b', 'c']) await files.append(line(turnId));
    await files.append(line('a', 'mine', 3));
    await files.append(line('a', 'theirs'));
    expect(await files.removeTurns(new Set(['s', 'mine', 'none']), new Set(['a', 'c']))).toBe(3);
    expect(turnsOf('v0/s.jsonl')).toEqual(['b']);
    expect(readdirSync(join(folder, 'v3'))).toEqual([]);
    expect(readdirSync(join(folder, 'v0')).sort()).toEqual(['s.jsonl', 'theirs.jsonl']);
    await files.append(line('d'));
    expect(turnsOf('v0/s.jsonl')).toEqual(['b', 'd']);
    expect(await files.removeTurns(new Set(['s']), new Set(['a']))).toBe(0);
  });

  it('removes the folders of older versions, and nothing else', async () => {
    const files = new RecordFiles(folder);
    for (const version of [2, 9, 10]) await files.append(line('a', 's', version));
    writeFileSync(join(folder, 'v1-notes'), '');
    await files.removeBelow(10);
    expect(readdirSync(folder).sort()).toEqual(['v1-notes', 'v10']);
    expect(existsSync(join(folder, 'v10/s.jsonl'))).toBe(true);
  });
});
