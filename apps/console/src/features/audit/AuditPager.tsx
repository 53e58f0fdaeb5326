import { ActionIcon, Select, Tooltip } from '@mantine/core'
import {
  type Icon,
  IconChevronLeft,
  IconChevronRight,
  IconChevronsLeft,
  IconChevronsRight,
} from '@tabler/icons-react'
import classes from './AuditLog.module.css'
import { type AuditView, PAGE_SIZES } from './audit-view.ts'

interface AuditPagerProps {
  view: AuditView
  total: number
  onChange: (view: AuditView) => void
}

/** Which part of the log is on screen, and the way to the others. */
export function AuditPager({ view, total, onChange }: AuditPagerProps) {
  const { page, pageSize } = view
  const last = Math.max(1, Math.ceil(total / pageSize))
  const go = (to: number) => onChange({ ...view, page: to })
  return (
    <nav className={classes.pager} aria-label="Pages">
      <Select
        size="xs"
        className={classes.size}
        aria-label="Entries per page"
        data={PAGE_SIZES.map((size) => `${size}`)}
        value={`${pageSize}`}
        allowDeselect={false}
        onChange={(size) => size !== null && onChange({ ...view, page: 1, pageSize: Number(size) })}
      />
      <span className={classes.dim} role="status">
        {describePart(page, pageSize, total)}
      </span>
      <PageButton label="First page" icon={IconChevronsLeft} to={1} page={page} last={last} onGo={go} />
      <PageButton
        label="Previous page"
        icon={IconChevronLeft}
        to={page - 1}
        page={page}
        last={last}
        onGo={go}
      />
      <PageButton label="Next page" icon={IconChevronRight} to={page + 1} page={page} last={last} onGo={go} />
      <PageButton label="Last page" icon={IconChevronsRight} to={last} page={page} last={last} onGo={go} />
    </nav>
  )
}

interface PageButtonProps {
  label: string
  icon: Icon
  to: number
  page: number
  last: number
  onGo: (page: number) => void
}

function PageButton({ label, icon: PageIcon, to, page, last, onGo }: PageButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={to < 1 || to > last || to === page} onClick={() => onGo(to)}>
        <PageIcon size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  )
}

function describePart(page: number, pageSize: number, total: number): string {
  const from = (page - 1) * pageSize + 1
  if (total === 0 || from > total) return `0 of ${total}`
  return `${from} to ${Math.min(total, page * pageSize)} of ${total}`
}
