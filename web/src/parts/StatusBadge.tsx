import { statusWords } from '../strings/parts.ts'
import classes from './parts.module.css'

export type Tone = 'good' | 'bad' | 'waiting' | 'neutral'

const good = [
  'successful',
  'succeeded',
  'success',
  'delivered',
  'done',
  'credited',
  'active',
  'valid',
]
const bad = ['failed', 'refused', 'invalid', 'revoked', 'unclear']
const neutral = ['draft', 'cancelled', 'returned', 'disabled']

export function toneOf(status: string): Tone {
  const word = status.toLowerCase()
  if (good.includes(word)) return 'good'
  if (bad.includes(word)) return 'bad'
  return neutral.includes(word) ? 'neutral' : 'waiting'
}

type Props = { status: string; tone?: Tone; label?: string }

/** A state in a word with a mark whose shape differs too, for those who do not see colours. */
export function StatusBadge({ status, tone = toneOf(status), label }: Props) {
  return (
    <span className={classes.status} data-tone={tone}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true" focusable="false">
        <ToneMark tone={tone} />
      </svg>
      {label ?? statusWords[status.toLowerCase()] ?? status}
    </span>
  )
}

function ToneMark({ tone }: { tone: Tone }) {
  if (tone === 'good') return <circle cx="5" cy="5" r="4" fill="currentColor" />
  if (tone === 'bad') return <path d="M5 .8 9.4 9H.6z" fill="currentColor" />
  if (tone === 'neutral') return <rect x="1" y="4" width="8" height="2" fill="currentColor" />
  return <circle cx="5" cy="5" r="3.2" fill="none" stroke="currentColor" strokeWidth="1.8" />
}
