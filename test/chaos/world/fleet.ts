/** The server as several processes, which come back whenever they go. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { DIES_AT, DISARM, type Patch } from '../seam/patches.ts';
import { lookUntil } from './call.ts';
import { endChild, isReady, startServer } from './children.ts';

export type MemberRole = 'api' | 'worker' | 'all';

/** One of its processes; whatever comes back after it is another. */
interface Member {
  readonly name: string;
  readonly role: MemberRole;
  /** Of the API. */
  readonly url: string;
  readonly log: string;
  readonly child: ChildProcess;
  /** It has said that it serves. */
  isUp: boolean;
  /** We have ordered its death: any other SIGKILL is the kernel's, for want of memory. */
  isDoomed: boolean;
}

export interface FleetOptions {
  readonly roles: readonly MemberRole[];
  readonly env: Readonly<Record<string, string>>;
  /** What differs in the environment of each, in their order. */
  readonly ownEnv?: readonly Readonly<Record<string, string>>[] | undefined;
  readonly readyWithinMs: number;
  /** Where they run, and of logs, one a member. */
  readonly folder: string;
  readonly patches: readonly Patch[];
  /** Asked at each start once armed: where the process is to kill itself (`pointText`), if anywhere. */
  readonly point?: ((role: MemberRole) => string | undefined) | undefined;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Of those that serve the API. */
  readonly urls: readonly string[];
  readonly logs: readonly string[];
  /** How often members went by SIGKILL, by our order or at a point of theirs. */
  readonly killed: () => number;
  /** Of these, how often at which point: by role and point. */
  readonly killedAt: Readonly<Record<string, number>>;
  /** Of the last one; as `performance.now()`. */
  readonly lastKillMs: () => number;
  /** How a member ended that nobody had killed. */
  readonly crashes: readonly string[];
  kill(member: Member): void;
  /** From now on, whoever starts is given a point. */
  arm(): void;
  /** Resolves when every member is up. */
  up(): Promise<void>;
  /** Points kill no more; resolves when every member is up. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const REST_MS = 200;

/** Starts them; resolves when all are ready. */
export const startFleet = async (options: FleetOptions): Promise<Fleet> => {
  const crashes: string[] = [];
  const state = { killed: 0, lastKillMs: performance.now(), isStopped: false, usesPoints: false };
  const killedAt: Record<string, number> = {};

  const members: Member[] = [];
  const launch = (index: number, role: MemberRole, port: number): void => {
    const name = `${role}-${index + 1}`;
    const log = path.join(options.folder, `${name}.log`);
    const logFrom = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const point = state.usesPoints ? options.point?.(role) : undefined;
    const env = {
      ...options.env,
      PORT: String(port),
      CHAOS_PATCHES: JSON.stringify(options.patches),
      ...(point === undefined ? {} : { CHAOS_POINT: point }),
      ...options.ownEnv?.[index],
    };
    const child = startServer(role, { env, errorLog: log, cwd: options.folder });
    const member: Member = { name, role, url: `http://127.0.0.1:${port}`, log, child, isUp: false, isDoomed: false };
    members[index] = member;
    child.stdout?.resume().once('data', () => {
      member.isUp = true;
    });
    child.once('exit', (code, signal) => {
      member.isUp = false;
      if (state.isStopped) return;
      const diedAt = signal === 'SIGKILL' ? pointIn(log, logFrom) : undefined;
      if (diedAt !== undefined) {
        const key = pointKey(role, diedAt);
        killedAt[key] = (killedAt[key] ?? 0) + 1;
      }
      const isKilled = signal === 'SIGKILL' && (member.isDoomed || diedAt !== undefined);
      if (isKilled) [state.killed, state.lastKillMs] = [state.killed + 1, performance.now()];
      else crashes.push(`${name} ended by itself with ${signal ?? code}`);
      void sleep(isKilled ? 0 : REST_MS).then(() => {
        if (!state.isStopped) launch(index, role, port);
      });
    });
  };

  /** They have said so, which a worker can do only that way; an API is asked as well. */
  const allUp = async (): Promise<void> => {
    for (const index of members.keys()) {
      const look = async () => {
        const member = members[index];
        return member?.isUp === true && (member.role === 'worker' || (await isReady(member.url)));
      };
      if (!(await lookUntil(options.readyWithinMs, look, (is) => is)))
        throw new Error(`${members[index]?.name} was not ready within ${options.readyWithinMs / 1_000} s`);
    }
  };
  const stop = async (): Promise<void> => {
    state.isStopped = true;
    await Promise.all(members.map(async ({ child }) => await endChild(child)));
  };
  try {
    for (const [index, role] of options.roles.entries()) {
      launch(index, role, await freePort());
      // The first one makes the tables; the others would only wait for it.
      if (index === 0) await allUp();
    }
    await allUp();
  } catch (error) {
    const log = readFileSync(members[0]?.log ?? '', 'utf8').slice(-2_000);
    await stop();
    throw new Error(`the platform did not start; its log ends in: ${log}`, { cause: error });
  }

  // Who has just been killed is down a moment later.
  const up = async (): Promise<void> => {
    await sleep(REST_MS);
    await allUp();
  };
  return {
    members,
    urls: members.filter(({ role }) => role !== 'worker').map(({ url }) => url),
    logs: members.map(({ log }) => log),
    killed: () => state.killed,
    killedAt,
    lastKillMs: () => state.lastKillMs,
    crashes,
    kill: (member) => {
      member.isDoomed = true;
      member.child.kill('SIGKILL');
    },
    arm: () => {
      state.usesPoints = true;
    },
    up,
    settle: async () => {
      state.usesPoints = false;
      for (const { child } of members) if (child.connected) child.send(DISARM, () => undefined);
      await up();
    },
    stop,
  };
};

/** At which a process died whose words begin there: it said so last. */
const pointIn = (log: string, from: number): string | undefined =>
  readFileSync(log)
    .subarray(from)
    .toString()
    .split('\n')
    .find((line) => line.startsWith(DIES_AT))
    ?.slice(DIES_AT.length);

/** As what `killedAt` counts it. */
export const pointKey = (role: MemberRole, point: string): string => `${role} ${point}`;
