"""The goals of the catalogue: where each is measured, and how far it is met."""

from tests.hardening.case import Case, tests_of

GOALS = (
    Case(
        "G1",
        "500 kills over the whole pipeline",
        "Nothing lost, no post doubled, no word of people changed (`./dev torture`).",
        tests_of(
            "bot/daemon/test_killed.py",
            "nothing_is_lost_doubled_or_changed_when_the_daemon_is_killed",
        ),
        "The test kills five times; how often `./dev torture` did stands in"
        " tests/results/torture.md.",
    ),
    Case(
        "G2",
        "MariaDB killed 100 times, a small disk filled 50 times",
        "Nothing lost (`./dev torture`).",
        tests_of(
            "torture/test_databases_and_disks.py",
            """nothing_is_lost_when_the_database_is_killed
            nothing_is_lost_when_the_disk_is_full""",
        ),
        "The tests kill three times and fill two disks; how often `./dev torture` did"
        " stands in tests/results/torture.md.",
    ),
    Case(
        "G3",
        "no edit of an article",
        "A proxy between bot and wiki fails every test in which a write leaves its pages.",
        tests_of(
            "bot/writing/test_beyond.py",
            "the_proxy_notices_what_leaves a_hostile_title_sends_no_write",
        ),
        "Every test that writes to the real wiki goes through the proxy; the wikis in"
        " memory refuse such a write by themselves.",
    ),
    Case(
        "G4",
        "the feed: vectors, scenarios, 10,000 streams, 1,000 disconnects",
        "The same events in every division; nothing lost.",
        tests_of(
            "bot/daemon/event_stream/test_framing.py",
            "every_conformance_vector_is_read_in_any_division",
        )
        + tests_of(
            "hardening/test_stream.py",
            """no_event_of_a_crowded_millisecond_is_lost_however_often_it_is_cut
            a_stream_says_the_same_however_it_is_divided""",
        ),
        "72 of 107 vectors are at hand, in five divisions.",
    ),
    Case(
        "G5",
        "addresses: all vectors, 1,000 schedules of a name server",
        "No connect to a guarded address.",
        tests_of(
            "bot/sources/test_address_wall.py",
            "no_known_attack_address_is_connected_to",
        )
        + tests_of(
            "hardening/test_addresses.py",
            """no_spelling_of_an_internal_address_passes
            no_schedule_of_a_name_server_leads_inside""",
        ),
        "152 of 228 vectors and 22 of 32 scenarios are at hand. Connects are seen by an"
        " audit hook and by listeners, not in a network namespace of their own.",
    ),
    Case(
        "G6",
        "bombs",
        "Ten seconds and 256 MiB for a child; the parent grows by no more than the body.",
        tests_of("hardening/test_bombs.py", "a_bomb_costs_no_more_than_its_child_may")
        + tests_of(
            "bot/sources/extraction/test_extractor.py",
            "the_owner_does_not_grow_with_a_bomb",
        ),
    ),
    Case(
        "G7",
        "20,000 hostile texts through the wiki's parser",
        "None does anything, all can be read.",
        tests_of(
            "hardening/test_escaping.py",
            "a_real_parser_makes_nothing_of_hostile_texts",
        ),
    ),
    Case(
        "G8",
        "5,920 injected pages and a model that obeys each",
        "No verdict changes and no wrong suggestion is made.",
        tests_of(
            "hardening/test_injection.py",
            "a_model_that_obeys_a_page_changes_no_verdict",
        )
        + tests_of(
            "bot/models/roles/test_injection.py",
            "a_model_that_obeys_every_page_makes_no_wrong_suggestion",
        ),
        "Attack success with a real model is not measured.",
    ),
    Case(
        "G9",
        "faults of the model; spending",
        "A named outcome for each; the budget is never passed.",
        tests_of(
            "bot/models/language_model/test_replies.py",
            "each_reply_of_the_corpus_has_a_named_outcome",
        )
        + tests_of(
            "bot/models/language_model/test_lane.py",
            "no_sequence_of_answers_and_failures_passes_the_budget",
        )
        + tests_of(
            "hardening/test_spending.py",
            """a_server_that_bills_and_fails_gets_no_more_than_the_cap
            processes_that_come_and_go_spend_no_more_than_a_days_cap""",
        ),
        "38 of 57 replies are at hand.",
    ),
    Case(
        "G10",
        "a million events",
        "Memory, files and database stay bounded, and 99 of 100 events are rows within a"
        " second (`./dev soak`).",
        tests_of(
            "soak/test_soak.py",
            "some_events_and_seven_weeks_pass_through_the_whole_program",
        ),
        "The figures stand in tests/results/soak.md.",
    ),
    Case(
        "G11",
        "an hour of fuzzing for each parser",
        "No exception that is not expected (`./dev fuzz`).",
        tests_of(
            "fuzz/test_targets.py",
            """every_kept_input_keeps_the_promises
            words_of_the_grammar_in_any_order_keep_the_promises""",
        ),
        "How long each was fuzzed stands in tests/results/fuzz.md.",
    ),
    Case(
        "G12",
        "100 flips of the stop page",
        "No write after a look that saw the stop (`./dev torture`).",
        tests_of("bot/writing/test_gate.py", "the_stop_page_is_read_before_every_write")
        + tests_of(
            "torture/pipeline/test_histories.py",
            "a_write_after_a_read_that_saw_the_stop_is_found",
        )
        + tests_of(
            "bot/surfaces/opt_in/test_exclusion.py",
            "there_are_all_the_forms_that_pywikibot_tests a_page_refuses_us",
        ),
        "A hundred flips without kills are in the test; those during kills are counted in"
        " tests/results/torture.md.",
    ),
    Case(
        "G13",
        "faults of every link",
        "Recovered within a minute (`./dev soak`).",
        tests_of("soak/test_soak.py", "each_fault_is_felt_and_ends")
        + tests_of(
            "bot/store/test_half_open.py",
            "a_silent_database_connection_is_dropped_and_retried",
        ),
        "The test shows that each fault is made and ends; how soon the whole program has"
        " recovered is measured alone, in tests/results/soak.md.",
    ),
    Case(
        "G14",
        "the API under schemathesis; idle sockets",
        "No fault of ours; the status page answers within a second.",
        tests_of(
            "gadget/api/test_schemathesis.py", "nothing_that_is_sent_finds_a_fault"
        )
        + tests_of(
            "bot/daemon/web/test_connections.py",
            "a_thousand_that_stay_do_not_slow_the_status_page",
        ),
        "A thousand sockets, not ten thousand: a process may open a bounded number of files.",
    ),
    Case(
        "G15",
        "ends within ten seconds, begins within ten",
        "Ends in time in the middle of its work; drains what waited.",
        tests_of(
            "test_daemon_program.py",
            """it_ends_in_time_in_the_middle_of_its_work
            a_daemon_whose_wiki_and_feed_are_away_waits_and_ends_when_told""",
        )
        + tests_of(
            "bot/daemon/intake/test_stream.py",
            "after_a_restart_it_goes_on_where_it_was",
        ),
        "To begin is measured in processor time. A backlog of 100,000 events is drained in"
        " `./dev soak`, not in a test.",
    ),
)
