import { IconArrowAutofitWidth, IconColumnRemove, IconMinus, IconPlus } from '@tabler/icons-react'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { type HeadTarget, limitWidth } from '../../ui/table/DataHead.tsx'
import type { useMachineColumns } from './use-machine-columns.ts'

interface ColumnHeadMenuProps {
  target: HeadTarget
  columns: ReturnType<typeof useMachineColumns>
  onClose: () => void
}

const STEP_PX = 32

/** The menu of a column's title: its width, and whether it is shown. */
export function ColumnHeadMenu({ target, columns, onClose }: ColumnHeadMenuProps) {
  const { column, at, widthPx } = target
  const { choices, resize, change } = columns
  const title = columns.columns.find(({ id }) => id === column)?.title ?? ''
  const isUsual = choices.find(({ id }) => id === column)?.width === null
  const widths: MenuEntry[] =
    widthPx === undefined
      ? []
      : [
          {
            id: 'wider',
            label: 'Widen column',
            icon: IconPlus,
            shortcut: 'Alt →',
            run: () => resize(column, limitWidth(widthPx + STEP_PX)),
          },
          {
            id: 'narrower',
            label: 'Narrow column',
            icon: IconMinus,
            shortcut: 'Alt ←',
            run: () => resize(column, limitWidth(widthPx - STEP_PX)),
          },
          {
            id: 'reset',
            label: 'Reset width',
            icon: IconArrowAutofitWidth,
            disabledReason: isUsual ? 'Width not changed' : undefined,
            run: () => resize(column, null),
          },
          divider('hide-below'),
        ]
  const hide = {
    id: 'hide',
    label: 'Hide column',
    icon: IconColumnRemove,
    disabledReason: choices.length === 1 ? 'Only column' : undefined,
    run: () => change(choices.filter(({ id }) => id !== column)),
  }
  return <ContextMenu label={`Column ${title}`} at={at} entries={[...widths, hide]} onClose={onClose} />
}
