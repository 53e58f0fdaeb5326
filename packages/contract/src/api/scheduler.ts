import { z } from 'zod'
import { SystemTask, SystemTaskAction, SystemTaskName } from '../agent/scheduler.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams } from '../fields.ts'

export const listSystemTasks = endpoint({
  method: 'GET',
  path: '/scheduler/:agent_id/',
  access: 'can_manage_winsvcs',
  summary: "List the tasks of a machine's own scheduler: the Task Scheduler of Windows, timers of systemd",
  params: AgentParams,
  response: z.array(SystemTask),
})

export const changeSystemTask = endpoint({
  method: 'POST',
  path: '/scheduler/:agent_id/',
  access: 'can_manage_winsvcs',
  summary: "Run, enable or disable a task of a machine's own scheduler; returns its new state",
  params: AgentParams,
  body: z.object({ name: SystemTaskName, action: SystemTaskAction }),
  response: SystemTask,
})
