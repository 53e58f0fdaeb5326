import type { LogLine } from '@muster/contract/agent/logs'
import { makeVisible } from '@muster/rules/text/visible-text'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import classes from '../../../ui/layout/ListPane.module.css'
import tones from './Logs.module.css'
import { priorityWord } from './log-words.ts'

export interface LogContext {
  format: (instant: number) => string
}

export const LOG_COLUMNS: readonly DataColumn<LogLine, LogContext>[] = [
  { id: 'time', title: 'Time', width: '170px', render: ({ at_ms }, { format }) => format(at_ms) },
  {
    id: 'priority',
    title: 'Priority',
    width: '100px',
    render: ({ priority }) => (
      <span className={tones.priority} data-priority={priority}>
        {priorityWord(priority)}
      </span>
    ),
  },
  {
    id: 'source',
    title: 'Source',
    width: 'minmax(100px, 0.4fr)',
    render: ({ source, unit, pid }) => (
      <bdi data-tip={[makeVisible(unit), pid === 0 ? '' : `PID ${pid}`].filter(Boolean).join(', ')}>
        {makeVisible(source)}
      </bdi>
    ),
  },
  {
    id: 'message',
    title: 'Message',
    width: 'minmax(240px, 2fr)',
    render: ({ message }) => <bdi>{makeVisible(message)}</bdi>,
  },
]

export const LOG_COLUMNS_PX = 700

/** Of Windows, where events have numbers. */
export const EVENT_COLUMNS: readonly DataColumn<LogLine, LogContext>[] = LOG_COLUMNS.flatMap((column) =>
  column.id === 'message'
    ? [{ id: 'event', title: 'Event ID', width: '80px', render: ({ event_id }) => event_id ?? '' }, column]
    : [column],
)

export const LOG_CARD: DataCard<LogLine, LogContext> = {
  height: 61,
  render: ({ at_ms, priority, source, message }, { format }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{makeVisible(message)}</bdi>
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <span className="cut">
          {format(at_ms)}, {priorityWord(priority)}, {makeVisible(source)}
        </span>
      </div>
    </>
  ),
}
