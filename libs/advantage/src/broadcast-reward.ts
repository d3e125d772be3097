/**
 * GRPO's broadcast: A_t = r for every response token. Positive pushes the token's probability up.
 * Source: Binary RL of OpenClaw-RL; GRPO without group normalisation.
 *
 * @param length R, response tokens
 * @returns [R]
 */
export const broadcastReward = (reward: number, length: number): Float64Array => new Float64Array(length).fill(reward);
