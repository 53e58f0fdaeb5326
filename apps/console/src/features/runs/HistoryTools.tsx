import type { AgentHistory } from '@muster/contract/api/runs'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
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
      <CsvButton
        of="runs"
        fileName="history.csv"
        table={runs.length === 0 ? undefined : () => historyTable(runs)}
      />
    </div>
  )
}
