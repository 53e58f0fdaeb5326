import { Button, TextInput } from '@mantine/core'
import type { AgentHistory } from '@muster/contract/api/history'
import { IconDownload, IconSearch } from '@tabler/icons-react'
import { toCsv } from '../../ui/csv.ts'
import { saveFile } from '../../ui/save-file.ts'
import classes from './HistoryPane.module.css'
import { historyTable } from './history-list.ts'

interface HistoryToolsProps {
  search: string
  onSearch: (search: string) => void
  /** Those that are shown. */
  runs: readonly AgentHistory[]
}

/** Search and file of the runs. */
export function HistoryTools({ search, onSearch, runs }: HistoryToolsProps) {
  return (
    <div className={classes.tools}>
      <TextInput
        size="xs"
        className={classes.search}
        aria-label="Search the history"
        placeholder="Command, script, user, state"
        leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
        value={search}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
      />
      <Button
        variant="default"
        disabled={runs.length === 0}
        leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
        aria-label="Download these runs as CSV"
        onClick={() => saveFile('history.csv', `\uFEFF${toCsv(historyTable(runs))}`, 'text/csv')}
      >
        CSV
      </Button>
    </div>
  )
}
