import { Button } from '@mantine/core'
import type { AgentHistory } from '@muster/contract/api/history'
import { IconDownload } from '@tabler/icons-react'
import { SearchField } from '../../ui/SearchField.tsx'
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
      <SearchField
        label="Search the history"
        placeholder="Command, script, user, state"
        value={search}
        onSearch={onSearch}
        className={classes.search}
        size="xs"
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
