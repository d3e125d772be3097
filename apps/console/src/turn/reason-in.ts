/** What a judge gives as its reason: the field of that name where it answers in JSON, or else all that it said. */
export const reasonIn = (text: string): string => {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null || !('reason' in said)) return text;
    return typeof said.reason === 'string' && said.reason.trim() !== '' ? said.reason : text;
  } catch {
    return text;
  }
};
