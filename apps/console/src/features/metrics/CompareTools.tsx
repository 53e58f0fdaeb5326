import { Select } from '@mantine/core'
import { RangeTools } from '../checks/RangeTools.tsx'
import { ViewButtons } from '../checks/ViewButtons.tsx'
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
        <ViewButtons
          asTable={view.asTable}
          onAsTable={(asTable) => change({ asTable })}
          fileName="comparison.csv"
          table={data && (() => compareTable(data, label))}
        />
      </span>
    </div>
  )
}
