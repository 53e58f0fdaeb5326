import type { Patch } from '@muster/contract/agent/patches'

/** A patch of apt that an agent reports. */
export const patchOf = (guid: string, more: Partial<Patch> = {}): Patch => ({
  guid,
  source: 'apt',
  title: guid,
  kb: '',
  version: '2.0',
  current_version: '1.0',
  severity: '',
  security: false,
  categories: [],
  description: '',
  more_info_urls: [],
  size: null,
  downloaded: false,
  needs_reboot: false,
  ...more,
})
