import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type FleetJob, listFleetJobs } from '@muster/contract/api/fleet-jobs'
import { listRepeatingJobs } from '@muster/contract/api/repeating-jobs'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { usePageTitle } from '../../app/shell/page-title.ts'
import list from '../../ui/layout/ListPane.module.css'
import { EmptyState, SkeletonRows } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { progressText } from './job-labels.ts'
import { JobStateMark, ProgressBar } from './JobMarks.tsx'
import { RepeatingJobs } from './RepeatingJobs.tsx'
import classes from './Jobs.module.css'

const FORBIDDEN = 'Your role does not allow you to see jobs.'

/** All jobs, newest first. */
export function JobsPage() {
  usePageTitle('Jobs')
  const { open } = useDialog()
  const navigate = useNavigate()
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [search, setSearch] = useState('')
  const [selected, setSelected] = useState<string>()
  const { data, isRefused, instead } = useQueryPane(query(listFleetJobs, { query: {} }), {
    needs: 'can_list_agent_history',
    refused: FORBIDDEN,
    rows: 8,
  })
  const { data: repeating, isPending } = useQuery({
    ...query(listRepeatingJobs, {}),
    enabled: !isRefused,
  })
  const openJob = ({ id }: FleetJob) => void navigate({ to: '/jobs/$job_id', params: { job_id: `${id}` } })
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rows = (data ?? []).filter(({ name, action_text, created_by, state }) => {
    const text = `${name}\n${action_text}\n${created_by}\n${state}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <div className={list.pane}>
      <header className={`${classes.head} ${classes.listHead}`}>
        <h1 className="page-title">Jobs</h1>
        <div className={classes.actions}>
          <Button
            leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
            onClick={() => open('new-job')}
          >
            New job
          </Button>
        </div>
      </header>
      {data === undefined ? (
        instead
      ) : isPending ? (
        // The list must not move down under the pointer.
        <SkeletonRows />
      ) : (
        <>
          <RepeatingJobs jobs={repeating ?? []} />
          <div className={list.tools}>
            <SearchField
              label="Search jobs"
              placeholder="Name, action, user or state"
              value={search}
              onSearch={setSearch}
              className={list.search}
            />
            <span className={list.sums} role="status">
              {rows.length === 1 ? '1 job' : `${rows.length} jobs`}
            </span>
          </div>
          <div className="pane">
            <DataTable
              label="Jobs"
              rows={rows}
              rowKey={({ id }) => `${id}`}
              columns={COLUMNS}
              context={undefined}
              rowHeight={32}
              minWidth={COLUMNS_PX}
              selected={selected}
              onSelect={(row) => setSelected(row === undefined ? undefined : `${row.id}`)}
              onClickRow={openJob}
              onOpen={openJob}
              card={hasCards ? CARD : undefined}
              scrollKey={search}
              empty={
                data.length === 0 ? (
                  <EmptyState message="No jobs yet. A job runs one action on many machines, in waves." />
                ) : (
                  <EmptyState message="No jobs match the search.">
                    <Button variant="default" onClick={() => setSearch('')}>
                      Clear search
                    </Button>
                  </EmptyState>
                )
              }
            />
          </div>
        </>
      )}
    </div>
  )
}

const COLUMNS: readonly DataColumn<FleetJob>[] = [
  {
    id: 'state',
    title: 'State',
    width: '156px',
    render: (job) => <JobStateMark {...job} />,
    watch: ({ state }) => state,
  },
  { id: 'name', title: 'Name', width: 'minmax(200px, 2fr)', render: ({ name }) => <bdi>{name}</bdi> },
  {
    id: 'action',
    title: 'Action',
    width: 'minmax(180px, 1.6fr)',
    render: ({ name, action_text }) => action_text !== name && <bdi className="dim">{action_text}</bdi>,
  },
  {
    id: 'progress',
    title: 'Progress',
    width: '140px',
    render: (job) => (
      <span className={classes.progress}>
        <ProgressBar counts={job.counts} label={progressText(job)} />
      </span>
    ),
    watch: (job) => progressText(job),
  },
  { id: 'counts', title: 'Machines', width: '190px', render: (job) => progressText(job) },
  { id: 'user', title: 'User', width: '120px', render: ({ created_by }) => <bdi>{created_by}</bdi> },
  {
    id: 'time',
    title: 'Created',
    width: '120px',
    render: ({ created_at }) => <Time instant={created_at} relative />,
  },
]

const COLUMNS_PX = 1040

const CARD: DataCard<FleetJob, undefined> = {
  height: 61,
  render: (job) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{job.name}</bdi>
        <JobStateMark {...job} />
      </div>
      <div className="cardLine dim">
        <span className="cut">{progressText(job)}</span>
        <Time instant={job.created_at} relative />
      </div>
    </>
  ),
}
