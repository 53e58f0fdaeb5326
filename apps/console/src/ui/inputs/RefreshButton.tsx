import { ActionIcon, Tooltip } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'

/** Requests fresh data. */
export interface Refresh {
  run: () => void
  busy: boolean
  /** Why it is disabled. */
  reason: string | undefined
}

/** Requests a new list; the reason why it cannot is its tooltip, which a disabled button would not show. */
export function RefreshButton({ label, tip, refresh }: { label: string; tip: string; refresh: Refresh }) {
  return (
    <Tooltip label={refresh.reason ?? tip}>
      <ActionIcon
        aria-label={label}
        loading={refresh.busy}
        {...(refresh.reason === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={refresh.reason !== undefined}
        onClick={() => {
          if (refresh.reason === undefined) refresh.run()
        }}
      >
        <IconRefresh size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  )
}
