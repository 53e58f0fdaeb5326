import { Button, Select } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { IconChartDots } from '@tabler/icons-react'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import classes from './CheckHistory.module.css'
import { RangeTools } from './RangeTools.tsx'
import { ViewButtons } from './ViewButtons.tsx'
import { seriesLabel } from './check-words.ts'
import { type HistoryView, writeView } from './history-view.ts'
import { samplesTable } from './samples-table.ts'

interface HistoryToolsProps {
  check: Check
  agent: AgentDetail
  samples: CheckSamples | undefined
  series: CheckSamples['series'][number] | undefined
  view: HistoryView
  change: (part: Partial<HistoryView>) => void
}

/** Which number, over what time, as a graph or as a table. */
export function HistoryTools({ check, agent, samples, series, view, change }: HistoryToolsProps) {
  const { range } = view
  const { open } = useDialog()
  const all = samples?.series ?? []
  return (
    <div className={classes.tools}>
      {all.length > 1 && (
        <Select
          aria-label="What was measured"
          className={classes.series}
          data={all.map(({ name }) => ({ value: name, label: seriesLabel(name) }))}
          allowDeselect={false}
          value={series?.name ?? null}
          onChange={(name) => change({ series: name ?? undefined })}
        />
      )}
      <RangeTools ref={takeFirstFocus} range={range} onChange={(chosen) => change({ range: chosen })} />
      <span className={classes.end}>
        {series !== undefined && (
          <Button
            variant="default"
            leftSection={<IconChartDots size={16} stroke={1.75} aria-hidden />}
            onClick={() =>
              open(
                'compare',
                `check:${check.id}:${series.name}`,
                writeView({ range, series: agent.agent_id, asTable: false }),
              )
            }
          >
            Compare
          </Button>
        )}
        <ViewButtons
          asTable={view.asTable}
          onAsTable={(asTable) => change({ asTable })}
          fileName={fileName(agent, check)}
          table={samples === undefined || all.length === 0 ? undefined : () => samplesTable(samples)}
        />
      </span>
    </div>
  )
}

/**
 * The dialog opens with the time that is chosen in focus. The control hands no attribute on to its radio buttons, and
 * a dialog that has shown that it loads has its focus already.
 */
function takeFirstFocus(control: HTMLElement | null): void {
  const chosen = control?.querySelector('input:checked') ?? control?.querySelector('input')
  if (!(chosen instanceof HTMLElement)) return
  chosen.setAttribute('data-autofocus', 'true')
  chosen.focus({ preventScroll: true })
}

const fileName = ({ hostname }: AgentDetail, { id, settings }: Check) =>
  `${hostname.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}-${settings.check_type}-${id}.csv`
