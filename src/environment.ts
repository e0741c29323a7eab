/** Play money or real money. Nothing is shared between the two. */
export type Environment = 'sandbox' | 'live'
