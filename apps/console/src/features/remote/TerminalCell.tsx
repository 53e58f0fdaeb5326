import { Checkbox } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { TerminalTab } from './TerminalTab.tsx'
import classes from './TogetherPage.module.css'
import type { TerminalView } from './terminal-view.ts'

interface TerminalCellProps {
  agentId: string
  hostname: string
  /** What is typed into others is typed here as well. */
  isTarget: boolean
  isMarked: boolean
  /** Undefined = marks say nothing just now. */
  onMark: ((on: boolean) => void) | undefined
  onTyped: (text: string) => void
  onView: (view: TerminalView) => void
}

/** One machine's terminal beside others. */
export function TerminalCell(props: TerminalCellProps) {
  const { agentId, hostname, isTarget, isMarked, onMark, onTyped, onView } = props
  return (
    <section className={classes.cell} aria-label={hostname} data-target={isTarget || undefined}>
      <div className={classes.cellHead}>
        <h2 className={classes.name}>{hostname}</h2>
        {isTarget && (
          <span className={classes.badge}>
            <IconKeyboard size={14} stroke={1.75} aria-hidden />
            typed into together
          </span>
        )}
        {onMark !== undefined && (
          <Checkbox
            size="xs"
            className={classes.mark ?? ''}
            label="Marked"
            aria-label={`Mark ${hostname}`}
            checked={isMarked}
            onChange={({ currentTarget }) => onMark(currentTarget.checked)}
          />
        )}
      </div>
      <TerminalTab
        agentId={agentId}
        hostname={hostname}
        place="together"
        isShown={false}
        firstWish={NO_WISH}
        onWish={() => {}}
        onTitle={() => {}}
        onTyped={onTyped}
        onView={onView}
      />
    </section>
  )
}

const NO_WISH = {}
