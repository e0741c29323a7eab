import Type from 'typebox'

/** The answer of operations that have nothing to tell but that it is done. */
export const Done = Type.Object({ success: Type.Literal(true), data: Type.Object({}) })
export const done = { success: true as const, data: {} }
