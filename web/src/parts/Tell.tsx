import { Notification, Portal } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'
import classes from './parts.module.css'

type Message = { id: number; text: string; tone: 'good' | 'bad' }
type Tell = (text: string, tone?: Message['tone']) => void

const shownMs = 6000
const maxShown = 3
const TellContext = createContext<Tell>(() => undefined)

/** `tell('Saved')`: a short message that comes, is read aloud, and goes. */
export const useTell = (): Tell => useContext(TellContext)

export function TellProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([])
  const count = useRef(0)
  const drop = useCallback((id: number) => {
    setMessages((all) => all.filter((each) => each.id !== id))
  }, [])
  const tell = useCallback<Tell>(
    (text, tone = 'good') => {
      count.current += 1
      const id = count.current
      setMessages((all) => [...all, { id, text, tone }].slice(-maxShown))
      setTimeout(() => drop(id), shownMs)
    },
    [drop],
  )
  return (
    <TellContext value={tell}>
      {children}
      <Portal>
        <div className={classes.tell} role="status" aria-live="polite">
          {messages.map(({ id, text, tone }) => (
            <Notification
              key={id}
              withBorder
              color={tone === 'good' ? 'leaf' : 'red'}
              onClose={() => drop(id)}
              closeButtonProps={{ 'aria-label': strings.close }}
            >
              {text}
            </Notification>
          ))}
        </div>
      </Portal>
    </TellContext>
  )
}
