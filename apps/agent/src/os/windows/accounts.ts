import { bindLibrary, type Call, callOnThread, loadErrors, readWide } from './win32.ts'

interface Advapi {
  findAccount: Call<
    [
      machine: null,
      sid: Buffer,
      name: Buffer,
      nameLength: Buffer,
      domain: Buffer,
      domainLength: Buffer,
      use: Buffer,
    ]
  >
}
const ADVAPI: Record<keyof Advapi, string> = {
  findAccount:
    'int __stdcall LookupAccountSidW(void *, uint8_t *, uint8_t *, uint8_t *, uint8_t *, uint8_t *, uint8_t *)',
}

const ACCOUNT_CHARACTERS = 512
const MAX_ACCOUNTS = 1000

let loaded: Promise<Advapi> | undefined
/** Names by the bytes of their SID. Finding one may ask a domain controller. */
const accounts = new Map<string, string>()

/** `DOMAIN\name`, or the SID of an account that no longer exists. */
export async function findAccount(sid: Buffer): Promise<string> {
  const key = sid.toString('hex')
  const known = accounts.get(key)
  if (known !== undefined) return known
  const advapi = await (loaded ??= bindLibrary<Advapi>('advapi32.dll', ADVAPI))
  const [name, domain] = [Buffer.alloc(ACCOUNT_CHARACTERS * 2), Buffer.alloc(ACCOUNT_CHARACTERS * 2)] as const
  const [nameLength, domainLength] = [Buffer.alloc(4), Buffer.alloc(4)] as const
  for (const length of [nameLength, domainLength]) length.writeUInt32LE(ACCOUNT_CHARACTERS)
  const values = [null, sid, name, nameLength, domain, domainLength, Buffer.alloc(4)] as const
  const { result } = await callOnThread(await loadErrors(), advapi.findAccount, ...values)
  const account = result === 0 ? describeSid(sid) : joinAccount(readWide(domain), readWide(name))
  if (accounts.size < MAX_ACCOUNTS) accounts.set(key, account)
  return account
}

function joinAccount(domain: string, name: string): string {
  return domain === '' ? name : `${domain}\\${name}`
}

/** `S-1-5-21-...`, for an account that no longer exists. */
export function describeSid(sid: Buffer): string {
  const parts = Array.from({ length: sid[1] ?? 0 }, (_, index) => sid.readUInt32LE(8 + index * 4))
  return ['S', sid[0], sid.readUIntBE(2, 6), ...parts].join('-')
}
