import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { useLiveUpdates } from '../api/live.ts'
import { useEnvironment } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { LiveIndicator } from '../parts/LiveIndicator.tsx'
import { Loading } from '../parts/states.tsx'
import { partsStrings as strings } from '../strings/parts.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx'
import classes from './layout.module.css'
import { Navigation } from './Navigation.tsx'

const headerPx = 60
const navbarPx = 232

/** The frame around every page: which environment, where to go, who is signed in. */
export function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const environment = useEnvironment()
  const live = useLiveUpdates(environment)
  const { merchant } = useSession()
  const { pathname } = useLocation()
  const content = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    close()
    // Whoever reads with the keyboard goes on where the new page begins.
    content.current?.focus({ preventScroll: true })
  }, [pathname, close])
  return (
    <AppShell
      header={{ height: headerPx }}
      navbar={{ width: navbarPx, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={0}
      transitionDuration={0}
    >
      <a href="#content" className="skip">
        {strings.skip}
      </a>
      <AppShell.Header className={classes.header} data-environment={environment}>
        <Group gap="sm" wrap="nowrap" h="100%" justify="space-between">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={strings.menu}
              aria-expanded={isOpen}
            />
            <img src="/mark.svg" alt="" width="28" height="28" />
            <Text fw={650} truncate visibleFrom="xs">
              {merchant.name}
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <LiveIndicator state={live} />
            <EnvironmentSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} component="div">
        <ScrollArea>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main className={classes.main} id="content" tabIndex={-1} ref={content}>
        <div className={classes.page}>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
