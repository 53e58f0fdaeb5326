import { Button } from '@mantine/core'
import { PROXY_GUIDE_PATH } from '@muster/contract/errors'

export const BLOCKED_CAUSE = 'A proxy between this browser and the server does not pass WebSockets.'

/** The server's page with settings of proxies. */
export function ProxyGuideLink({ size }: { size?: 'compact-xs' | 'compact-sm' }) {
  return (
    <Button
      component="a"
      href={PROXY_GUIDE_PATH}
      target="_blank"
      rel="noreferrer"
      {...(size === undefined ? {} : { size })}
      variant="default"
    >
      Show proxy settings
    </Button>
  )
}
