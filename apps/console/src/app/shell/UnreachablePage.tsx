import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { MessagePage } from './MessagePage.tsx'

const RETRY_MS = 5000

/** Set by public/service-worker.js in the page that it shows while the server cannot be reached. */
export const isServerUnreachable = 'offline' in document.documentElement.dataset

/** Replaces every screen until the server responds; then the server's current console is loaded. */
export function UnreachablePage() {
  useEffect(() => {
    const reloadOnceThere = () => {
      fetch('/health/', { cache: 'no-store' }).then(
        ({ ok }) => ok && location.reload(),
        // Still unreachable.
        () => undefined,
      )
    }
    const timer = setInterval(reloadOnceThere, RETRY_MS)
    window.addEventListener('online', reloadOnceThere)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', reloadOnceThere)
    }
  }, [])
  return (
    <MessagePage title="Server not reachable">
      <p>Muster reconnects automatically when the server responds. Machines keep working meanwhile.</p>
      <Button onClick={() => location.reload()}>Try again</Button>
    </MessagePage>
  )
}
