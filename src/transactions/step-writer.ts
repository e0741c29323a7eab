import { createGroupCommit } from '../db/group-commit.ts'

/** Writes the steps of payments on their way, many in one commit. */
export type StepWriter<Progress, Settlement> = {
  /** Whether the expected state, of the same attempt, was found, and the change made. */
  progress(step: Progress): Promise<boolean>
  settle(step: Settlement): Promise<boolean>
  close(): Promise<void>
}

export type StepWriting<Progress, Settlement> = {
  idOf(step: Progress | Settlement): string
  writeProgress(steps: readonly Progress[]): Promise<readonly boolean[]>
  writeSettlements(steps: readonly Settlement[]): Promise<readonly boolean[]>
}

const lane = { maxBatch: 256, maxQueued: 20_000 }

export function createStepWriter<Progress, Settlement>({
  idOf: keyOf,
  writeProgress,
  writeSettlements,
}: StepWriting<Progress, Settlement>): StepWriter<Progress, Settlement> {
  const steps = createGroupCommit({ ...lane, keyOf, commit: writeProgress })
  const settlements = createGroupCommit({ ...lane, keyOf, commit: writeSettlements })
  return {
    progress: steps.submit,
    settle: settlements.submit,
    async close() {
      await Promise.all([steps.close(), settlements.close()])
    },
  }
}
