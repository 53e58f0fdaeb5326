import { z } from 'zod'
import {
  CERTIFICATE_PROOF_PATH,
  CertificateProof,
  CertificateProofRequest,
} from '../agent/certificate-proof.ts'
import { ENROL_PATH, EnrolResponse, EnrolRequest } from '../agent/enrol.ts'
import { endpoint } from '../endpoint.ts'
import { Platform } from '../fields.ts'

/** Called by an agent once per machine. The token in the body authorizes it. */
export const enrolAgent = endpoint({
  method: 'POST',
  path: ENROL_PATH,
  access: 'public',
  summary: 'Enrol a machine with an enrolment token and its own new key',
  body: EnrolRequest,
  response: EnrolResponse,
})

/** Called by an agent that does not trust the certificate of the server. The response is not a secret. */
export const proveCertificate = endpoint({
  method: 'POST',
  path: CERTIFICATE_PROOF_PATH,
  access: 'public',
  withLowDisk: true,
  summary: "Prove the server's certificate with its command key, for agents that do not trust it",
  body: CertificateProofRequest,
  response: CertificateProof,
})

/** `manual` is a package, the others are lines to paste. */
export const InstallMethod = z.enum(
  ['powershell', 'bash', 'mac', 'manual'],
  'Choose powershell, bash, mac or manual. There is no exe: manual is an MSI package on Windows.',
)
export type InstallMethod = z.infer<typeof InstallMethod>

/** Processors by the names of the field. The agent's Node exists for 64-bit processors only. */
export const Goarch = z.enum(['amd64', 'arm64'], 'Agents need a 64-bit processor. Choose amd64 or arm64.')
export type Goarch = z.infer<typeof Goarch>

/** Changes of the Windows installer to the machine besides the agent. */
export const INSTALL_FLAGS = {
  /** Never sleep or hibernate on mains power. */
  power: z.boolean().default(false),
  /** Allow Remote Desktop, through the firewall as well. */
  rdp: z.boolean().default(false),
  /** Answer pings. */
  ping: z.boolean().default(false),
}
export const InstallFlags = z.object(INSTALL_FLAGS)
export type InstallFlags = z.infer<typeof InstallFlags>

export const Architecture = z.enum(['x64', 'arm64'])
export type Architecture = z.infer<typeof Architecture>

/** The formats of each platform. */
export const PACKAGE_FORMATS = {
  windows: ['msi'],
  darwin: ['tar.xz'],
  linux: ['deb', 'rpm'],
} as const satisfies Record<Platform, readonly string[]>

export const PackageName = z
  .object({ platform: Platform, arch: Architecture, format: z.enum(['msi', 'tar.xz', 'deb', 'rpm']) })
  .refine(({ platform, format }) => PACKAGE_FORMATS[platform].some((known) => known === format), {
    path: ['format'],
    error: 'This platform has no packages of that format.',
  })
export type PackageName = z.infer<typeof PackageName>

/** The agent for machines of one kind. The server builds a package on first use, unless its release carries it. */
export const AgentPackage = z.object({
  ...PackageName.shape,
  build: z.discriminatedUnion('state', [
    z.object({ state: z.literal('absent') }),
    /** The current step of the build. */
    z.object({ state: z.literal('building'), progress: z.string() }),
    z.object({ state: z.literal('failed'), error: z.string() }),
    z.object({
      state: z.literal('ready'),
      /** The name of the downloaded file. */
      file: z.string(),
      /** Path at the server. A package holds no secret, so it is public. */
      path: z.string(),
      /** Hex. */
      sha256: z.string(),
      bytes: z.int(),
      /** By a key that its operating system knows. */
      signed: z.boolean(),
    }),
  ]),
})
export type AgentPackage = z.infer<typeof AgentPackage>

export const listPackages = endpoint({
  method: 'GET',
  path: '/agents/packages/',
  access: 'can_install_agents',
  summary: 'Packages of the agent that the server has, builds, or can build',
  response: z.array(AgentPackage),
})

export const buildPackage = endpoint({
  method: 'POST',
  path: '/agents/packages/',
  access: 'can_install_agents',
  summary: 'Build a package of the agent, unless the server has or builds it',
  body: PackageName,
  response: AgentPackage,
})
