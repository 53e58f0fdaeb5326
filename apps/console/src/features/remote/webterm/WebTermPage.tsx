import { Button, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPart } from '../../../app/shell/lazy-part.ts'
import { useDashInfo, useMe } from '../../../app/api/queries.ts'
import { usePageTitle } from '../../../app/shell/page-title.ts'
import { EmptyState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../RemoteBackgroundPage.module.css'

const WebTerminal = lazyPart(() => import('./WebTerminal.tsx').then((file) => file.WebTerminal))
const WebTermSessions = lazyPart(() => import('./WebTermSessions.tsx').then((file) => file.WebTermSessions))

const page = getRouteApi('/signed-in/gated/webterm')

/** A shell of the server itself, in a separate window, and its sessions. */
export function WebTermPage() {
  const { tool = 'terminal' } = page.useSearch()
  const navigate = page.useNavigate()
  const me = useMe()
  const info = useDashInfo()
  usePageTitle('Web terminal')
  if (me === undefined || info === undefined) return <SkeletonRows rows={10} />
  if (!me.is_superuser) {
    return (
      <main>
        <NoPermission message="Only a superuser may open the web terminal." />
      </main>
    )
  }
  return (
    <main className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.name}>Web terminal</h1>
        <span className="dim small">Shell of the Muster server</span>
      </header>
      <Tabs
        value={tool}
        onChange={(next) =>
          void navigate({ search: next === 'sessions' ? { tool: next } : {}, replace: true })
        }
        keepMounted={false}
        className={classes.tabs}
      >
        <Tabs.List aria-label="Web terminal">
          <Tabs.Tab value="terminal">Terminal</Tabs.Tab>
          <Tabs.Tab value="sessions">Sessions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="terminal" className="pane">
          {info.web_terminal_enabled ? (
            <Suspense fallback={<SkeletonRows rows={10} />}>
              <WebTerminal />
            </Suspense>
          ) : (
            <EmptyState message="The web terminal is disabled.">
              {!info.hosted && (
                <Button variant="default" component="a" href="/settings/general">
                  Open global settings
                </Button>
              )}
            </EmptyState>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="sessions" className="pane">
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <WebTermSessions />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </main>
  )
}
