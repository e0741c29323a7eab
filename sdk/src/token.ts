export type Token = {
  readonly token: string
  /** Unix seconds. */
  readonly expiresAt: number
}

export type TokenKeeper = {
  /** A token with some life left. */
  readonly current: () => Promise<string>
  /** A token other than one the service has just refused. */
  readonly replace: (refused: string) => Promise<string>
}

/** Enough for a request to arrive before its token ends. */
const marginMs = 60_000

/** Keeps one token. Callers that need a new one at the same time share a single exchange. */
export const createTokenKeeper = (
  exchange: () => Promise<Token>,
  nowMs: () => number,
): TokenKeeper => {
  let kept: Token | undefined
  let exchanging: Promise<Token> | undefined

  const renew = async (): Promise<string> => {
    exchanging ??= exchange().finally(() => {
      exchanging = undefined
    })
    kept = await exchanging
    return kept.token
  }

  const isFresh = (token: Token): boolean => token.expiresAt * 1000 - nowMs() > marginMs

  return {
    current: async () => (kept && isFresh(kept) ? kept.token : renew()),
    // Another caller may have replaced it already while this one was waiting for its refusal.
    replace: async (refused) => (kept && kept.token !== refused ? kept.token : renew()),
  }
}
