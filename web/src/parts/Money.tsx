import { Text, type TextProps } from '@mantine/core'
import { formatAmount } from './format.ts'
import classes from './parts.module.css'

type Props = TextProps & {
  amount: string
  currency: string
  /** A plus before what came in. */
  signed?: boolean
}

/** An amount with its currency, in figures of one width. */
export function Money({ amount, currency, signed, ...text }: Props) {
  const plus = signed && !amount.startsWith('-') && /[1-9]/.test(amount) ? '+' : ''
  return (
    <Text span inherit {...text} className={classes.money}>
      {plus}
      {formatAmount(amount)} <span className={classes.currency}>{currency}</span>
    </Text>
  )
}
