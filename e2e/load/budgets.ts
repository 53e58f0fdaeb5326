/** Limits of speed and size. A figure above `must` is a defect; `aim` is the goal. */
interface Budget {
  what: string
  must: number
  aim: number
  unit: string
  /** The figure is to be at least this, where it is at most this otherwise. */
  isLeast?: true
}

export const BUDGETS = {
  start: { what: '`npm start` with everything built, until it listens, median', must: 3, aim: 1, unit: 's' },
  firstLoad: {
    what: 'first load of the dashboard, JavaScript + CSS, compressed',
    must: 255,
    aim: 200,
    unit: 'kB',
  },
  open10k: {
    what: 'dashboard opened cold, 10,000 machines, to the first row',
    must: 450,
    aim: 300,
    unit: 'ms',
  },
  worst10k: { what: 'the same, slowest opening', must: 1000, aim: 500, unit: 'ms' },
  first10k: { what: 'the same, first opening of a fresh server', must: 1000, aim: 500, unit: 'ms' },
  open100k: { what: 'the same with 100,000', must: 1000, aim: 600, unit: 'ms' },
  worst100k: { what: 'the same with 100,000, slowest opening', must: 1500, aim: 1000, unit: 'ms' },
  first100k: {
    what: 'the same with 100,000, first opening of a fresh server',
    must: 1500,
    aim: 1000,
    unit: 'ms',
  },
  search10k: { what: 'search typed, to the filtered rows painted, 10,000', must: 40, aim: 16, unit: 'ms' },
  search100k: { what: 'the same with 100,000 rows', must: 150, aim: 60, unit: 'ms' },
  searchServer: {
    what: '`POST /agents/search/` by fields of 10,000 machines, p95',
    must: 60,
    aim: 25,
    unit: 'ms',
  },
  searchTerms: {
    what: 'the same by software, failing checks and samples, p95',
    must: 400,
    aim: 150,
    unit: 'ms',
  },
  overview: {
    what: 'overview of 10,000 machines opened cold, until its numbers are painted',
    must: 300,
    aim: 200,
    unit: 'ms',
  },
  overviewServer: { what: '`GET /overview/` of 10,000 machines, p95', must: 60, aim: 20, unit: 'ms' },
  scroll: { what: 'scrolling 10,000 rows, longest frame', must: 50, aim: 17, unit: 'ms' },
  list: { what: '`GET /agents/` for one client of 500 in 10,000, p95', must: 15, aim: 5, unit: 'ms' },
  latest: {
    what: '`GET /agents/metrics/latest/` of 10,000 machines, p95',
    must: 60,
    aim: 20,
    unit: 'ms',
  },
  command: { what: 'send command (`true`) to a real agent, median', must: 8, aim: 4, unit: 'ms' },
  jobFirst: {
    what: 'a job on 10,000 machines, from its start to the first command at a machine',
    must: 0.5,
    aim: 0.3,
    unit: 's',
  },
  jobLast: { what: 'the same, to the last result stored', must: 10, aim: 4, unit: 's' },
  jobP99: { what: 'the same, API p99 meanwhile', must: 60, aim: 20, unit: 'ms' },
  jobMemory: { what: 'the same, growth of the memory of the server', must: 100, aim: 50, unit: 'MB' },
  memory: { what: '10,000 agents, 1,000 reports/s: memory of the server', must: 450, aim: 350, unit: 'MB' },
  apiP99: { what: '10,000 agents, 1,000 reports/s: API p99', must: 50, aim: 20, unit: 'ms' },
  policedMemory: {
    what: 'the same under 200 policies: memory of the server',
    must: 520,
    aim: 400,
    unit: 'MB',
  },
  policedP99: { what: 'the same under 200 policies: API p99', must: 60, aim: 20, unit: 'ms' },
  reconnect: { what: '10,000 agents after a server restart, all back', must: 25, aim: 8, unit: 's' },
  alertLatency: {
    what: 'a failing result reported, to its notice at a webhook, 10,000 machines, median',
    must: 1000,
    aim: 100,
    unit: 'ms',
  },
  alertSweeps: {
    what: 'longest pause of the server while 10,000 alerts are suppressed and released',
    must: 60,
    aim: 25,
    unit: 'ms',
  },
  ingest: {
    what: 'results of checks stored, in batches',
    must: 20_000,
    aim: 20_000,
    unit: 'samples/s',
    isLeast: true,
  },
  graph: {
    what: '30-day graph of one check while that goes on, p95',
    must: 50,
    aim: 50,
    unit: 'ms',
  },
  sampleSize: {
    what: 'a stored sample of a check: raw, means and index',
    must: 5,
    aim: 2,
    unit: 'bytes',
  },
  pruneWrite: {
    what: 'longest write while old samples, runs, alerts and audit entries are removed',
    must: 50,
    aim: 50,
    unit: 'ms',
  },
  steadyMemory: {
    what: '10,000 machines with 10 checks every 120 s: memory of the server',
    must: 550,
    aim: 350,
    unit: 'MB',
  },
  steadyP99: { what: '10,000 machines with 10 checks every 120 s: API p99', must: 60, aim: 20, unit: 'ms' },
  policyPlan: {
    what: '10,000 machines under 200 policies resolved twice, for the plan of a save',
    must: 4,
    aim: 2,
    unit: 's',
  },
  policyMachine: { what: 'what policies give to one machine, median', must: 5, aim: 2, unit: 'ms' },
  policySweep: {
    what: 'a saved policy in place on 10,000 machines',
    must: 10,
    aim: 5,
    unit: 's',
  },
  policyPause: { what: 'longest wait of another call meanwhile', must: 100, aim: 50, unit: 'ms' },
  terminalEcho: { what: 'key press to echo in a terminal, loopback, median', must: 1.5, aim: 1, unit: 'ms' },
  terminalEchoBusy: {
    what: 'the same while 100 MB flow through another one, p95',
    must: 20,
    aim: 10,
    unit: 'ms',
  },
  desktopPictures: {
    what: 'desktop 1280x800 with moving content',
    must: 25,
    aim: 40,
    unit: 'frames/s',
    isLeast: true,
  },
  desktopKey: { what: 'key press to changed pixel on a desktop, median', must: 60, aim: 33, unit: 'ms' },
  windowsPictures: {
    what: 'desktop of Windows in Wine, 1280x800 with moving content',
    must: 20,
    aim: 30,
    unit: 'frames/s',
    isLeast: true,
  },
  windowsKey: {
    what: 'key press to changed pixel on a desktop of Windows in Wine, median',
    must: 100,
    aim: 50,
    unit: 'ms',
  },
  windowsIdle: {
    what: 'process that shows an idle desktop of Windows in Wine, processor',
    must: 1,
    aim: 0.5,
    unit: '%',
  },
  fileDownload: {
    what: 'a file of a machine downloaded, loopback, median',
    must: 100,
    aim: 100,
    unit: 'MB/s',
    isLeast: true,
  },
  fileUpload: {
    what: 'a file uploaded to a machine, loopback, median',
    must: 60,
    aim: 60,
    unit: 'MB/s',
    isLeast: true,
  },
  fileMemory: { what: 'growth of server and agent while files move', must: 50, aim: 25, unit: 'MB' },
  fileEcho: { what: 'key press to echo beside a download at full speed, p95', must: 20, aim: 10, unit: 'ms' },
  processList: {
    what: 'agent, while its list of 1,000 processes is open, processor',
    must: 5,
    aim: 2.5,
    unit: '%',
  },
  hostileKnock: {
    what: '8 hostile connections before sign-in: change of the p95 of `/health/`',
    must: 20,
    aim: 5,
    unit: 'ms',
  },
  hostileLog: { what: 'growth of the log meanwhile, in 10 s', must: 100, aim: 10, unit: 'kB' },
  hostileReports: {
    what: "one hostile enrolled agent: change of another user's p95",
    must: 20,
    aim: 5,
    unit: 'ms',
  },
  agentMemory: { what: 'agent, idle, resident memory', must: 70, aim: 55, unit: 'MB' },
  agentPrivate: { what: 'agent, idle, private memory', must: 25, aim: 15, unit: 'MB' },
  agentCpu: { what: 'agent, idle, processor', must: 0.05, aim: 0.03, unit: '%' },
  agentWatched: { what: 'agent, while its Summary is open, processor', must: 1, aim: 0.5, unit: '%' },
  windowsMemory: {
    what: 'agent of Windows in Wine, idle, working set',
    must: 170,
    aim: 150,
    unit: 'MB',
  },
  windowsPrivate: {
    what: 'agent of Windows in Wine, idle, private working set',
    must: 50,
    aim: 35,
    unit: 'MB',
  },
  windowsCpu: { what: 'agent of Windows in Wine, idle, processor', must: 0.1, aim: 0.05, unit: '%' },
  packageSize: { what: 'a package of the agent, the largest, as downloaded', must: 35, aim: 30, unit: 'MB' },
  updateSize: { what: 'an update of the agent, as downloaded', must: 0.5, aim: 0.3, unit: 'MB' },
  updateFleet: { what: '10,000 agents updated in waves', must: 180, aim: 90, unit: 's' },
  updateP99: { what: 'API p99 while 10,000 agents are updated', must: 150, aim: 60, unit: 'ms' },
} as const satisfies Record<string, Budget>
export type BudgetName = keyof typeof BUDGETS

export interface Figure {
  budget: BudgetName
  value: number
  /** More about the measurement: the spread, a count. */
  remark?: string
}

export function verdictOf({ budget, value }: Figure): 'aim' | 'must' | 'missed' {
  const { must, aim, isLeast }: Budget = BUDGETS[budget]
  const keeps = (limit: number) => (isLeast === true ? value >= limit : value <= limit)
  if (keeps(aim)) return 'aim'
  return keeps(must) ? 'must' : 'missed'
}
