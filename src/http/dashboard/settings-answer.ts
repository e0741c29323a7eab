import Type from 'typebox'
import { answerOf, Text } from './view-answers.ts'

const FeeRule = Type.Object({
  kind: Text,
  method: Type.Optional(Text),
  currency: Type.Optional(Text),
  percentBasisPoints: Type.Integer(),
  fixedMinor: Type.Integer(),
  minMinor: Type.Optional(Type.Integer()),
  maxMinor: Type.Optional(Type.Integer()),
})

/** Fee rules are shown as they are stored: a rule for all currencies knows minor units only. */
export const Settings = answerOf(
  Type.Object({
    timeZone: Text,
    approvalLimits: Type.Record(Type.String(), Type.String()),
    feePlan: Type.Array(FeeRule),
  }),
)
