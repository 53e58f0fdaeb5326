import type { MachinePatch } from '@muster/contract/api/patches'

/** A patch for tests; missing by default. */
export const testPatch = (guid: string, more: Partial<MachinePatch> = {}): MachinePatch => ({
  guid,
  source: 'apt',
  title: guid,
  kb: '',
  version: '2.0',
  current_version: '1.0',
  severity: '',
  security: false,
  categories: ['Debian:12/stable'],
  description: '',
  more_info_urls: [],
  size: null,
  downloaded: false,
  needs_reboot: false,
  id: 0,
  action: 'inherit',
  by_policy: false,
  installed: false,
  date_installed: null,
  ...more,
})
