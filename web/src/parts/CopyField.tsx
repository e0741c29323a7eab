import { ActionIcon, Button, CopyButton, Group, Input, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'
import { Icon } from './Icon.tsx'
import classes from './parts.module.css'

type Props = { label: string; value: string; hint?: string; secret?: boolean }

/** A value to take elsewhere; a secret is covered until asked for. */
export function CopyField({ label, value, hint, secret }: Props) {
  const [isShown, setShown] = useState(!secret)
  return (
    <Input.Wrapper label={label} description={hint} labelElement="div">
      <Group gap="xs" mt={4} wrap="nowrap" align="center">
        <code className={classes.copyValue}>{isShown ? value : '•'.repeat(24)}</code>
        {secret && (
          <Button variant="default" size="sm" onClick={() => setShown(!isShown)}>
            {isShown ? strings.hide : strings.show}
          </Button>
        )}
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" size="sm" onClick={copy} aria-live="polite">
              {copied ? strings.copied : strings.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Input.Wrapper>
  )
}

/** An id in full where there is room, with a button to copy it. */
export function CopyId({ id, short }: { id: string; short?: boolean }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Text span ff="monospace" fz="0.85em" className={classes.id} title={id}>
        {short ? `${id.slice(0, 8)}…` : id}
      </Text>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? strings.copied : strings.copy}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={copied ? strings.copied : `${strings.copy} ${id}`}
            >
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}
