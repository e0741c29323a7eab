import { useRef } from 'react'

/** The last value there was: what a dialog shows while it closes. */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return last.current
}
