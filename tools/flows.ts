/**
 * Four ways through the product, each as the functions and classes that a reader passes one after the other. The
 * files that declare them are the files of the flow: a list of names measures the same before and after files are
 * moved or merged. Written by hand along the calls, since imports lead to far more than one flow. `old|new`: it has
 * been renamed; either is found.
 */
export interface Flow {
  name: string
  steps: Record<Program, string>
}

export type Program = 'console' | 'server' | 'agent' | 'contract' | 'rules'

/** Where each program's files are. */
export const PROGRAM_FOLDERS: Record<Program, string> = {
  console: 'apps/console/src/',
  server: 'apps/server/src/',
  agent: 'apps/agent/src/',
  contract: 'packages/contract/src/',
  rules: 'packages/rules/src/',
}

export const FLOWS: Flow[] = [
  {
    name: 'list row: from the table in the database to the painted row',
    steps: {
      server: `createFastify route pageOf authenticate findCaller mayDo agentsRoutes AgentCache AgentIndex findAgents
        viewAgentRow emptySum openHttp createVisibility isAllowedOrigin createMetrics`,
      contract: 'listAgents endpoint callEndpoint',
      rules: 'agentStatus',
      console: `fetchEarlyFirst call queryKey countPending machinesQuery shareRows MachineOrder MachineSearchMemory
        sortMachines useMachineQuery readFilter useMachineView useTableState MachinesPane MachineTable useDrawn
        useNow useTipDate useDoubleClick MachineStatus MachineSearch NoMachines DataTable DataHead DataRow useFixedRows handleRowKey`,
      agent: '',
    },
  },
  {
    name: 'command: from the button to the process and its output on screen',
    steps: {
      console: `useAgentMenu useDialog dialogComponent DialogHost GuardedDialog AgentDialog SendCommandDialog RunDialog
        call LiveSocket useLive isStale useRun RunView addOutput`,
      server: `route historyRoutes commandOrder startRun createRun writeAudit Fleet AgentRouter deliverRuns signCommand
        requireAgent createIdempotency openCommandKey LinkState AgentLinks AgentSocket ReportQueue storeReportBatch storeRunReports LiveHub eventsFor`,
      agent: `Link readFrame startAgent takeCommand verifyCommand commandTable runCommand Runs RunJournal prepareCommand
        StandbyShell startProcess OutputReports Outbox ReportPump Nonces RunRecords State`,
      contract: 'endpoint callEndpoint commands ServerFrame AgentFrame Shell',
      rules: '',
    },
  },
  {
    name: 'alert mail: from a failing measurement to the mail that is sent',
    steps: {
      console: '',
      agent: 'checkTable Scheduler measureCheck CheckResults Outbox ReportPump Link',
      server: `AgentSocket ReportQueue storeReportBatch storeResults findKnownChecks judgeRun takeCheckFindings causeOfCheck
        takeFindings lockOpenAlerts findDependencies decideStep follow|applyStep writeAlertLog emitAlertsChanged planNotices
        decideNotice findNotices AlertSweep updateOpenAlerts alertChannelsJobs takeLease lookAgain|recheckNotice prepareMessage headlineOf
        recipientsOf sendMessage openSettings mailOf sendEmail refreshToken DefinitionSync recordOutcome`,
      contract: 'AgentFrame CheckResult',
      rules: 'checkRules nameCheck openAlert judgeFlapping resolveTemplate',
    },
  },
  {
    name: 'key press: from the key in the terminal to its echo',
    steps: {
      console: 'TerminalTab openTerminal bindKeys ChannelClient',
      contract: 'encodeChannelFrame SendWindow ChannelHello',
      server: `ChannelSocket ChannelHub openTool bufferUntilReady ToolChannels BusChannels LinkChannels countPassing AgentLinks
        AgentSocket`,
      agent:
        'Link readFrame Channels Channel countPassing openChannel Terminals Terminal Scrollback PtyWriter openPty',
      rules: '',
    },
  },
]
