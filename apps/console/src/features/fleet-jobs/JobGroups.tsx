import type { JobGroup } from '@muster/contract/api/fleet-jobs'
import { formatDuration } from '@muster/rules/text/units'
import { countMachines, MACHINE_STATE_LABELS } from './job-labels.ts'
import { MachineMark } from './JobMarks.tsx'
import classes from './Jobs.module.css'

interface JobGroupsProps {
  groups: readonly JobGroup[]
  selected: string | undefined
  onSelect: (id: string) => void
}

/** Machines with the same state, exit code and output, failed ones first. */
export function JobGroups({ groups, selected, onSelect }: JobGroupsProps) {
  return (
    <section aria-label="Machines by equal output">
      <div className={classes.section}>
        <h2 className={classes.title}>Machines by equal output</h2>
        <span className="dim">{groups.length === 1 ? '1 group' : `${groups.length} groups`}</span>
      </div>
      {groups.map(({ id, state, count, retcode, line, longest_seconds }) => (
        <button
          key={id}
          type="button"
          className={classes.group}
          aria-pressed={selected === id}
          onClick={() => onSelect(id)}
        >
          <MachineMark state={state} hasText />
          <span>
            <strong>{countMachines(count)}</strong> {MACHINE_STATE_LABELS[state]}
          </span>
          <bdi className={`${classes.line} mono`}>
            {[...(retcode === null ? [] : [`exit ${retcode}`]), line].filter(Boolean).join(', ')}
          </bdi>
          <span className={classes.longest}>
            {longest_seconds === null ? '' : formatDuration(Math.max(1, Math.round(longest_seconds)))}
          </span>
        </button>
      ))}
    </section>
  )
}
