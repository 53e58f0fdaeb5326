import { Button, Select } from '@mantine/core'
import { IconChartLine, IconDownload, IconTable } from '@tabler/icons-react'
import { toCsv } from '../../ui/csv.ts'
import { saveFile } from '../../ui/save-file.ts'
import { RangeTools } from '../checks/RangeTools.tsx'
import type { HistoryView } from '../checks/history-view.ts'
import classes from './Compare.module.css'
import { compareTable } from './compare-lines.ts'
import { groupChoices, labelOf } from './compare-words.ts'
import type { ShownComparison } from './use-comparison.ts'

interface CompareToolsProps {
  what: string
  data: ShownComparison | undefined
  view: HistoryView
  change: (part: Partial<HistoryView>) => void
  onWhat: (what: string) => void
}

/** Which number, over what time, as a graph or as a table. */
export function CompareTools({ what, data, view, change, onWhat }: CompareToolsProps) {
  const label = labelOf(what, data?.choices ?? [])
  return (
    <div className={classes.tools}>
      <Select
        aria-label="What is compared"
        className={classes.what}
        data={groupChoices(what, data?.choices ?? [])}
        value={what}
        onChange={(next) => next !== null && onWhat(next)}
        allowDeselect={false}
        searchable
        limit={200}
      />
      <RangeTools range={view.range} onChange={(range) => change({ range })} />
      <span className={classes.end}>
        <Button
          variant="default"
          leftSection={
            view.asTable ? (
              <IconChartLine size={16} stroke={1.75} aria-hidden />
            ) : (
              <IconTable size={16} stroke={1.75} aria-hidden />
            )
          }
          onClick={() => change({ asTable: !view.asTable })}
        >
          {view.asTable ? 'Graph' : 'Table'}
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
          aria-label="Download these numbers as CSV"
          disabled={data === undefined}
          onClick={() =>
            data && saveFile('comparison.csv', `\uFEFF${toCsv(compareTable(data, label))}`, 'text/csv')
          }
        >
          CSV
        </Button>
      </span>
    </div>
  )
}
