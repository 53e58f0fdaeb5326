import { Button, Switch } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { formatFileSize } from '@muster/rules/text/file-size'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { StatusDot } from '../../../ui/layout/StatusDot.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import type { LiveView, ProcessesView } from './use-live-processes.ts'

const WORDS = {
  live: { state: 'online', label: 'Live while you look' },
  waiting: { state: 'away', label: 'Waiting for the machine' },
  silent: { state: 'away', label: 'The machine tells nothing' },
  paused: { state: 'away', label: 'Paused' },
  away: { state: 'offline', label: 'Not connected: this is how it was last' },
} as const

interface ProcessToolsProps {
  search: string
  onSearch: (search: string) => void
  asTree: boolean
  onTree: (asTree: boolean) => void
  paused: boolean
  onPause: (paused: boolean) => void
  state: LiveView['state']
  view: ProcessesView
}

/** Above the table: what is searched, how it is laid out, and how busy the machine is. */
export function ProcessTools(props: ProcessToolsProps) {
  const { search, onSearch, asTree, onTree, paused, onPause, state, view } = props
  const { cpu_percent, memory_used, memory_total, left_out } = view.sums
  const Icon = paused ? IconPlayerPlay : IconPlayerPause
  return (
    <div className={classes.tools}>
      <SearchField
        label="Search processes"
        placeholder="Name, command, user:root, port:443"
        value={search}
        onSearch={onSearch}
        className={classes.search}
      />
      <Switch label="Tree" checked={asTree} onChange={(event) => onTree(event.currentTarget.checked)} />
      <Button
        variant="default"
        leftSection={<Icon size={14} stroke={1.75} aria-hidden />}
        onClick={() => onPause(!paused)}
      >
        {paused ? 'Go on' : 'Pause'}
      </Button>
      <div className={classes.sums}>
        <span>{view.processes.length} processes</span>
        {left_out > 0 && <span>{left_out} more are not shown</span>}
        <span>CPU {cpu_percent.toFixed(1)} %</span>
        <span>
          Memory {formatFileSize(memory_used)} of {formatFileSize(memory_total)}
        </span>
        <span role="status">
          <StatusDot {...WORDS[state]} />
        </span>
      </div>
    </div>
  )
}
