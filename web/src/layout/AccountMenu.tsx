import {
  ActionIcon,
  Button,
  Divider,
  Popover,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { useEnvironment } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Icon } from '../parts/Icon.tsx'
import { LinkButton } from '../parts/LinkButton.tsx'
import { useTell } from '../parts/Tell.tsx'
import { partsStrings as strings } from '../strings/parts.ts'

const schemes = ['auto', 'light', 'dark'] as const
type Scheme = (typeof schemes)[number]

/** Who is signed in, how the page looks, and the way out. */
export function AccountMenu() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={270}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <ActionIcon
          variant="default"
          size="lg"
          radius="xl"
          aria-label={strings.account}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="person" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={strings.account}>
        <AccountPanel onLeave={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

function AccountPanel({ onLeave }: { onLeave: () => void }) {
  const { person } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const environment = useEnvironment()
  const tell = useTell()
  const signOut = async () => {
    try {
      await call('DELETE', '/dashboard/session')
      // A whole new page, so that nothing of this session stays in memory.
      location.assign('/sign-in')
    } catch (error) {
      tell((error as Error).message, 'bad')
    }
  }
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600} truncate>
          {person.name}
        </Text>
        <Text size="sm" c="dimmed" truncate>
          {person.email}
        </Text>
      </div>
      <SegmentedControl
        fullWidth
        size="sm"
        aria-label={strings.colours}
        data={schemes.map((value) => ({ value, label: strings.colourSchemes[value] }))}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as Scheme)}
      />
      <Divider />
      <LinkButton
        to="/$environment/settings"
        params={{ environment }}
        variant="default"
        onClick={onLeave}
      >
        {strings.nav.settings}
      </LinkButton>
      <Button variant="default" onClick={() => void signOut()}>
        {strings.signOut}
      </Button>
    </Stack>
  )
}
