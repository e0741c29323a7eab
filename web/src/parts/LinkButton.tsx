import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Native = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & {
  ref?: Ref<HTMLAnchorElement>
}
type NativeButton = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & {
  ref?: Ref<HTMLAnchorElement>
}

/** A link to another page of the dashboard. */
export const PageLink = createLink((props: AnchorProps & Native) => (
  <Anchor component="a" {...props} />
))

/** The same, looking like a button. */
export const LinkButton = createLink((props: ButtonProps & NativeButton) => (
  <Button component="a" {...props} />
))
