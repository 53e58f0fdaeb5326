import type { AgentRow } from '@muster/contract/api/agents'
import { Button } from '@mantine/core'
import { IconCopy, IconPlayerPlay, IconTag, IconTool, IconX } from '@tabler/icons-react'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { notify, notifyDone } from '../../app/shell/notify.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'
import { CsvButton, type CsvTable } from '../../ui/table/CsvButton.tsx'
import { CHECKED_ITEM } from './checked-machines.ts'
import classes from './SelectionBar.module.css'

interface SelectionBarProps {
  ids: ReadonlySet<string>
  /** The checked machines that the search shows. */
  inView: readonly AgentRow[]
  /** All machines of this tab and node. */
  rows: readonly AgentRow[]
  /** Machines that the search shows. */
  shown: readonly AgentRow[]
  /** The machines as lines of a file. */
  csv: (machines: readonly AgentRow[]) => ReturnType<CsvTable>
  isSearching: boolean
  onCheckAll: () => void
  onClear: () => void
}

/** The actions on the checked machines, at the foot of the table. */
export function SelectionBar(props: SelectionBarProps) {
  const { ids, inView, rows, shown, csv, isSearching, onCheckAll, onClear } = props
  const hidden = ids.size - inView.length
  const actions = useSelectionActions(checkedOf(rows, ids))
  usePaletteSource(
    'checked machines',
    `${ids.size} ${actions.map(({ id }) => id).join()}`,
    () => actions.map((action) => ({ ...action, id: `checked ${action.id}`, group: `${ids.size} selected` })),
    { isFirst: true },
  )
  return (
    <div className={classes.bar} role="toolbar" aria-label="Selected machines">
      <span className={classes.count} role="status">
        {ids.size.toLocaleString('en')} selected
        {hidden > 0 && <span className="dim"> · {hidden.toLocaleString('en')} outside this search</span>}
      </span>
      {inView.length < shown.length && (
        <Button variant="subtle" onClick={onCheckAll}>
          {isSearching
            ? `Select all ${shown.length.toLocaleString('en')} that match`
            : `Select all ${shown.length.toLocaleString('en')}`}
        </Button>
      )}
      <div className={classes.actions}>
        <CsvButton of="selected machines" fileName="machines.csv" table={() => csv(checkedOf(rows, ids))} />
        {actions.map(({ id, label, icon: ActionIcon, run }) => (
          <Button
            key={id}
            {...(id === 'job' ? {} : { variant: 'default' })}
            leftSection={<ActionIcon size={16} stroke={1.75} aria-hidden />}
            onClick={run}
          >
            {label}
          </Button>
        ))}
        <Button
          variant="default"
          leftSection={<IconX size={16} stroke={1.75} aria-hidden />}
          onClick={onClear}
          aria-label="Clear selection"
        >
          Clear
        </Button>
      </div>
    </div>
  )
}

/** The actions on the checked machines: buttons of the bar, and entries of the palette. */
function useSelectionActions(machines: readonly AgentRow[]) {
  const mayEdit = useMay('can_edit_agent')
  const mayRun = useMay('can_list_agent_history')
  const { open } = useDialog()
  const actions = [
    {
      id: 'names',
      label: 'Copy names',
      icon: IconCopy,
      words: 'clipboard hosts',
      run: () => void copyNames(machines),
    },
    {
      id: 'job',
      label: 'Run a job',
      icon: IconPlayerPlay,
      words: 'script command reboot install patches software service',
      isHidden: !mayRun,
      run: () => open('new-job', CHECKED_ITEM),
    },
    {
      id: 'tags',
      label: 'Tags',
      icon: IconTag,
      words: 'label add remove',
      isHidden: !mayEdit,
      run: () => open('change-tags'),
    },
    {
      id: 'maintenance',
      label: 'Maintenance',
      icon: IconTool,
      words: 'silence mute downtime',
      isHidden: !mayEdit,
      run: () => open('maintenance', CHECKED_ITEM),
    },
  ]
  return actions.filter(({ isHidden }) => isHidden !== true)
}

const checkedOf = (rows: readonly AgentRow[], ids: ReadonlySet<string>) =>
  rows.filter(({ agent_id }) => ids.has(agent_id))

async function copyNames(machines: readonly AgentRow[]): Promise<void> {
  try {
    await navigator.clipboard.writeText(machines.map(({ hostname }) => hostname).join('\n'))
    notifyDone(machines.length === 1 ? 'Copied 1 name.' : `Copied ${machines.length} names.`)
  } catch {
    notify('The browser does not allow copying. Use CSV instead.', { tone: 'warning', preset: 'feedback' })
  }
}
