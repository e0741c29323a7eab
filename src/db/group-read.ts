import { createGroupCommit } from './group-commit.ts'

const lane = { maxBatch: 64, maxQueued: 20_000, commitsAtOnce: 2 }

/**
 * Questions that arrive while others are being answered are asked together: a statement costs more
 * than what it finds. A lone question is asked at once.
 */
export function createGroupRead<Asked, Answer>(
  answerAll: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  return createGroupCommit<Asked, Answer>({ ...lane, commit: answerAll }).submit
}
