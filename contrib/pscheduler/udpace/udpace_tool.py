"""The methods of the pScheduler tool plugin: JSON on standard input, JSON on standard output."""
import configparser
import json
import shutil
import sys

sys.dont_write_bytecode = True

import udpace_results  # noqa: E402
import udpace_run  # noqa: E402
import udpace_spec  # noqa: E402


def enumerate_(dummy):
    return {"schema": 1, "name": "udpace", "version": "0.1.0",
            "description": "Measures UDP streams at an exact spacing, with each lost frame "
                           "attributed to a location, and TCP with what limits it",
            "tests": sorted(udpace_spec.TESTS), "preference": -5,
            "maintainer": {"name": "The udpace authors", "email": "udpace@example.org",
                           "href": "https://example.org/udpace"}}


def can_run(test):
    why = udpace_spec.reasons(test)
    program = udpace_run.config()["program"]
    if shutil.which(program) is None:
        why.append("%s is not installed" % program)
    return {"can-run": False, "reasons": why} if why else {"can-run": True}


def duration(test):
    why = udpace_spec.reasons(test)
    if why:
        raise udpace_spec.Refused("; ".join(why))
    seconds = udpace_spec.measured_seconds(test)
    if test["type"] != "latencybg":
        seconds += udpace_run.SET_UP
    return {"duration": "PT%dS" % -(-seconds // 1)}


def participant_data(job):
    if udpace_spec.participants(job["test"]) == 1 or \
            not udpace_run.role(job["test"], job["participant"])[1]:
        return {}
    return {"port": udpace_run.config()["port"], "_key": udpace_run.new_key()}


METHODS = {"enumerate": enumerate_, "can-run": can_run, "duration": duration,
           "participant-data": participant_data,
           "run": lambda job: udpace_run.run(job, udpace_results.merged),
           "merged-results": udpace_results.merged}


FAULTS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, OSError,
          configparser.Error, udpace_spec.Refused)


def answer_of_fault(method, e):
    """Say why there is no answer: in the answer where it has a place for it."""
    why = str(e) if isinstance(e, udpace_spec.Refused) else "%s: %s" % (type(e).__name__, e)
    if method == "can-run":
        return {"can-run": False, "reasons": [why]}, None
    return {"error": why} if method == "duration" else None, "udpace: %s: %s" % (method, why)


def main(method):
    fault = None
    try:
        job = None if method == "enumerate" else json.loads(sys.stdin.buffer.read())
        result = METHODS[method](job)
        words = json.dumps(result)
    except FAULTS as e:
        result, fault = answer_of_fault(method, e)
        words = json.dumps(result)
    if result is not None:
        print(words)
    sys.exit(fault)
