interface Group {
  name: string
  text: string
  paths: RegExp
}

/** The groups of the description, in its order. A path belongs to the first that matches. */
const GROUPS: readonly Group[] = [
  {
    name: 'Tags and views',
    text: 'Marks of machines and clients, and saved views of the machines table.',
    paths: /^\/(tags|views|agents\/tags)\//,
  },
  {
    name: 'Notes',
    text: 'Notes of people about a machine.',
    paths: /^\/agents\/(notes|:agent_id\/notes)\//,
  },
  {
    name: 'Install agents',
    text: 'Install commands, deployment links, packages of the agent, and what machines call while they install.',
    paths: /^\/(agent\/|agents\/(installer|packages)\/|clients\/(deployments|:uid\/deploy))|\/deploy\//,
  },
  {
    name: 'Agent updates',
    text: 'Versions of the agent, and how machines get them.',
    paths: /^\/agents\/(update|updates|versions)\//,
  },
  {
    name: 'Commands and history',
    text: 'Commands and scripts that run on one machine, and their output.',
    paths: /^\/agents\/(history\/|:agent_id\/(cmd|runscript|history)\/)/,
  },
  {
    name: 'Jobs',
    text: 'One action on many machines: plan it, start it with the hash of the plan, follow it.',
    paths: /^\/(jobs|agents\/actions)\//,
  },
  {
    name: 'Power',
    text: 'Restart, shut down, sign out, lock and wake.',
    paths: /^\/agents\/:agent_id\/(reboot|shutdown|signout|lock|wake|wol)\/|^\/logs\/pendingactions\//,
  },
  {
    name: 'Remote tools',
    text: 'Files, processes, services, the registry, logs and scheduled tasks of a machine; sessions and their rules.',
    paths:
      /^\/(remoteaccess|remotesessions|services|scheduler)\/|^\/agents\/:agent_id\/(files|processes|registry|logs|eventlog|meshcentral|vnc|desktop|terminal|remote)|^\/core\/webterm/,
  },
  {
    name: 'Metrics',
    text: 'Measurements of machines, and of this server for Prometheus.',
    paths: /^\/(metrics|agents\/metrics|agents\/:agent_id\/metrics)/,
  },
  { name: 'Machines', text: 'Machines with their status and inventory.', paths: /^\/agents\// },
  { name: 'Clients and sites', text: 'The tree of clients and their sites.', paths: /^\/clients\// },
  {
    name: 'Custom fields',
    text: 'Own fields of clients, sites and machines.',
    paths: /^\/core\/customfields\//,
  },
  { name: 'Checks', text: 'What machines and this server measure, with thresholds.', paths: /^\/checks\// },
  { name: 'Tasks', text: 'What machines run by their own clock.', paths: /^\/tasks\// },
  {
    name: 'Policies',
    text: 'What many machines share. A change is planned first, so that its effects are known.',
    paths: /^\/automation\//,
  },
  { name: 'Maintenance', text: 'Windows in which nothing raises an alert.', paths: /^\/maintenance\// },
  {
    name: 'Patches',
    text: 'Patches of operating systems: scan, decide, install.',
    paths: /^\/(patches|winupdate)\//,
  },
  {
    name: 'Software',
    text: 'Installed software, packages, and uploaded installers.',
    paths: /^\/software\//,
  },
  {
    name: 'Alerts',
    text: 'Alerts, templates, channels, on-call schedules and escalations.',
    paths: /^\/alerts\//,
  },
  {
    name: 'Scripts',
    text: 'The script library, its snippets, and the key store.',
    paths: /^\/(scripts|core\/(keystore|openai|serverscript))\//,
  },
  {
    name: 'Webhooks',
    text: 'Events that this server sends to other programs.',
    paths: /^\/core\/webhooks\//,
  },
  {
    name: 'Sign-in',
    text: 'Sessions of people. Programs use an API key instead.',
    paths:
      /^\/(v2|logout|logoutall)\/|^\/accounts\/(sessions|sign-ins|passkeys|sso|resetpw|reset2fa|recovery_codes|invitations\/(open|accept)|users\/(setup_totp|confirm_totp))\//,
  },
  {
    name: 'Users and keys',
    text: 'Users, roles, invitations, API keys and sign-in providers.',
    paths: /^\/accounts\//,
  },
  { name: 'Audit log', text: 'Who changed what, and what ran.', paths: /^\/logs\// },
  {
    name: 'Server',
    text: 'Settings, backups, links and the state of this server.',
    paths: /^\//,
  },
]

export function groupOf(path: string): string {
  return GROUPS.find(({ paths }) => paths.test(path))?.name ?? 'Server'
}

/** The tags of OpenAPI, of those groups that have a route. */
export function listGroups(paths: readonly string[]): { name: string; description: string }[] {
  const used = new Set(paths.map(groupOf))
  return ORDER.filter((name) => used.has(name)).map((name) => ({ name, description: textOf(name) }))
}

function textOf(name: string): string {
  return GROUPS.find((group) => group.name === name)?.text ?? ''
}

const ORDER = [
  'Machines',
  'Clients and sites',
  'Tags and views',
  'Custom fields',
  'Notes',
  'Commands and history',
  'Scripts',
  'Jobs',
  'Power',
  'Checks',
  'Tasks',
  'Policies',
  'Maintenance',
  'Alerts',
  'Webhooks',
  'Patches',
  'Software',
  'Metrics',
  'Remote tools',
  'Install agents',
  'Agent updates',
  'Users and keys',
  'Sign-in',
  'Audit log',
  'Server',
]
